import { commitmentOf } from '@affine/blocks'
import { type Chain, encodeCommitment } from '@affine/chain'
import { encodeBitmap, type State, stateRoot } from '@affine/duel'
import { type CheckedLane, type FindLane, readSeals } from '@affine/settlement'
import type { Setup } from '../service/setup.ts'
import { secretOf } from './secret.ts'

/** What was found of each sealed lane, by its validator. */
export type Audited = ReadonlyMap<string, CheckedLane>

/** Verifies the own sealed lane, which puts it into the own bucket. */
export async function publishOwn(
  { chain, account }: Setup,
  state: State,
  findLane: FindLane,
): Promise<void> {
  const seals = await readSeals(chain, state)
  const head = Object.hasOwn(seals, account.hotkey) ? seals[account.hotkey] : undefined
  if (head !== undefined) await findLane(account.hotkey, head)
}

/** Verifies every lane that a due validator sealed, all at once. */
export async function auditLanes(chain: Chain, state: State, findLane: FindLane): Promise<Audited> {
  const seals = Object.entries(await readSeals(chain, state))
  const lanes = seals.map(
    async ([validator, head]) => [validator, await findLane(validator, head)] as const,
  )
  return new Map(await Promise.all(lanes))
}

/**
 * The fields of this validator's attestation: which lanes are whole and served from its bucket, the
 * commitment to its next secret, and the root of the state. Protocol §5.2.
 */
export async function attestationOf(
  setup: Setup,
  state: State,
  lanes: Audited,
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
