import { commitmentOf } from '@affine/blocks'
import { encodeCommitment } from '@affine/chain'
import { encodeBitmap, type State, stateRoot } from '@affine/duel'
import type { CheckedLane } from '@affine/settlement'
import { secretOf } from './secret.ts'
import type { Setup } from './setup.ts'

/**
 * The fields of this validator's attestation: which lanes are whole and served from its bucket, the
 * commitment to its next secret, and the root of the state. Protocol §5.2.
 */
export async function attestationOf(
  setup: Setup,
  state: State,
  lanes: ReadonlyMap<string, CheckedLane>,
): Promise<Uint8Array[]> {
  const { chain, account, bucketUrl: url } = setup
  const { epoch, duel } = state
  const whole = new Set([...lanes].filter(([, lane]) => lane.ok).map(([validator]) => validator))
  const bitmap = encodeBitmap(duel ?? { weights: {} }, whole)
  const secret = await secretOf(setup, epoch + 1)
  const { genesis, netuid } = chain
  const scope = { genesis, netuid, validator: account.hotkey, epoch: epoch + 1 }
  const next = commitmentOf({ ...scope, secret })
  return encodeCommitment({
    kind: 'attest',
    epoch,
    bitmap,
    next,
    stateRoot: stateRoot(state),
    url,
  })
}

/** Does this validator's slot hold these fields already? It may have been started again. */
export async function isOnChain(
  { chain, account }: Pick<Setup, 'chain' | 'account'>,
  fields: readonly Uint8Array[],
): Promise<boolean> {
  const { commitments } = await chain.snapshot((await chain.head()).number)
  const own = commitments.find(({ hotkey }) => hotkey === account.hotkey)
  return own?.fields.join(' ') === fields.join(' ')
}
