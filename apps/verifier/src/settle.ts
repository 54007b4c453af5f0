import {
  type BlockFault,
  type Lane,
  type LaneRequest,
  NO_BLOCK,
  type Scope,
  verifyLane,
} from '@affine/blocks'
import type { Chain } from '@affine/chain'
import { attested, openEnvs, quota, type Snapshot, type State, settle } from '@affine/duel'
import type { Hash, Result } from '@affine/prng'
import { beaconBlock, duelSnapshot, type Network, sealBlock, sealsOf } from './network.ts'

/**
 * A public fact that is needed to decide an epoch and could not be had. Nothing is known to be
 * false: try again.
 */
export class Unavailable extends Error {}

/**
 * What a lane of `validator` must match in the epoch that `state` governs; null when it is not due.
 */
export async function laneScope(
  chain: Chain,
  state: State,
  validator: string,
): Promise<Scope | null> {
  const { duel, due, epoch, protocol } = state
  const commitment = Object.hasOwn(due, validator) ? due[validator] : undefined
  if (duel === undefined || commitment === undefined) return null
  const { genesis, netuid } = chain
  const beacon = await chain.blockHash(beaconBlock(epoch, protocol))
  const share = quota(epoch - duel.start + 1, protocol)
  const shares = Object.fromEntries(openEnvs(duel, protocol).map((env) => [env, share]))
  return {
    genesis,
    netuid,
    validator,
    epoch,
    beacon,
    commitment,
    duel,
    quota: shares,
    specHashes: protocol.envs,
  }
}

/** A lane that was read: whole, or at fault for the reason given. */
export type LaneVerdict = Result<Lane, BlockFault>

/**
 * Could a block of the lane not be had? Then nothing is known of it, and it is worth asking again.
 */
export const isMissing = (verdict: LaneVerdict): boolean =>
  !verdict.ok && verdict.code === 'MISSING_BLOCK'

/**
 * Verifies the lane of a due `validator` that ends at `head`, in the epoch that `state` governs.
 */
export async function checkLane(
  chain: Chain,
  state: State,
  validator: string,
  head: Hash,
  read: LaneRequest['read'],
): Promise<LaneVerdict> {
  const scope = await laneScope(chain, state, validator)
  if (scope === null) throw new RangeError(`"validator" expected one that is due, got ${validator}`)
  return verifyLane({ head, previous: state.heads[validator] ?? NO_BLOCK, scope, read })
}

/**
 * One epoch decided: the state that governs the next, with an account of it, and what led to it.
 */
export interface Settled extends ReturnType<typeof settle> {
  /** The state that governed the epoch. */
  readonly before: State
  /** The chain as the decision read it. */
  readonly snapshot: Snapshot
  readonly lanes: ReadonlyMap<string, LaneVerdict>
}

type FindLane = (validator: string, head: Hash) => Promise<LaneVerdict>

/**
 * Decides the epoch that `state` governs, from the chain and the lanes that `lane` finds. Every
 * sealed lane of a due validator is asked for, all at once; only those attested by more than half
 * the weight can change the outcome.
 *
 * @throws Unavailable when such a lane cannot be had whole: its attesters say it is, so the data
 *   must exist.
 */
export async function settleEpoch(
  chain: Chain,
  network: Network,
  state: State,
  lane: FindLane,
): Promise<Settled> {
  const { protocol, epoch } = state
  const ended = await chain.snapshot(beaconBlock(epoch + 1, protocol) - 1)
  const snapshot = duelSnapshot(ended, epoch + 1, network.protocol)
  const seals = sealsOf(await chain.snapshot(sealBlock(epoch, protocol)), epoch)
  const needed = attested(state, snapshot)
  const due = Object.entries(seals).filter(([validator]) => Object.hasOwn(state.due, validator))
  const lanes = new Map(
    await Promise.all(
      due.map(async ([validator, head]) => [validator, await lane(validator, head)] as const),
    ),
  )
  const whole: Record<string, Lane['tallies']> = {}
  for (const [validator, verdict] of lanes) {
    if (verdict.ok) whole[validator] = verdict.value.tallies
    if (isMissing(verdict) && needed.includes(validator))
      throw new Unavailable(`epoch ${epoch}: the attested lane of ${validator} is not to be had`)
  }
  return { before: state, snapshot, ...settle(state, snapshot, seals, whole), lanes }
}
