import { commitmentOf } from '@affine/blocks'
import { type Chain, encodeCommitment } from '@affine/chain'
import { encodeBitmap, type State, stateRoot } from '@affine/duel'
import { holdersOf, inReadingOrder, readSeals, sealBlock } from '@affine/settlement'
import type { Audit, SealedLanes } from './sealed-lane.ts'
import { secretOf } from './secret.ts'
import type { Setup } from './setup.ts'

/** Every lane that a due validator sealed. Protocol §6.4. */
export async function lanesToAudit(chain: Chain, state: State): Promise<readonly Audit[]> {
  const { epoch, protocol, duel } = state
  const seals = await readSeals(chain, state)
  const holders = holdersOf(duel, await chain.snapshot(sealBlock(epoch, protocol)))
  return Object.entries(seals).map(([validator, head]) => ({
    validator,
    head,
    holders: inReadingOrder(holders, validator),
  }))
}

/**
 * The fields of this validator's attestation: which lanes are whole and served from its bucket, the
 * commitment to its next secret, and the root of the state. Protocol §5.2.
 */
export async function attestationOf(
  setup: Setup,
  state: State,
  lanes: SealedLanes['found'],
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
