import {
  type BlockFault,
  type Lane,
  type LaneRequest,
  NO_BLOCK,
  type Scope,
  verifyLane,
} from '@affine/blocks'
import type { Chain } from '@affine/chain'
import { quotasOf, type State } from '@affine/duel'
import type { Result } from '@affine/prng'
import { beaconBlock } from './timetable.ts'

/** A lane that was read: whole, or at fault for the reason given. */
export type CheckedLane = Result<Lane, BlockFault>

/**
 * What a lane of `validator` must match in the epoch that `state` governs; null if it isn't due.
 */
export async function laneScope(
  chain: Chain,
  state: State,
  validator: string,
): Promise<Scope | null> {
  const { duel, due, epoch, protocol } = state
  if (duel === undefined || !Object.hasOwn(due, validator)) return null
  const { genesis, netuid } = chain
  const specHashes = Object.entries(protocol.envs).map(([env, { specHash }]) => [env, specHash])
  return {
    genesis,
    netuid,
    validator,
    epoch,
    beacon: await chain.blockHash(beaconBlock(epoch, protocol)),
    commitment: due[validator] ?? '',
    duel,
    quota: quotasOf(state),
    specHashes: Object.fromEntries(specHashes),
  }
}

/** Which lane to verify, and how its blocks are read. */
export interface SealedLane extends Pick<LaneRequest, 'head' | 'read'> {
  readonly chain: Chain
  /** Governs the lane's epoch. */
  readonly state: State
  /** The validator that sealed it. */
  readonly validator: string
}

/**
 * Verifies the lane of a validator that is due.
 * @throws RangeError when it is not.
 */
export async function checkLane(lane: SealedLane): Promise<CheckedLane> {
  const { chain, state, validator, head, read } = lane
  const scope = await laneScope(chain, state, validator)
  if (scope === null) throw new RangeError(`"validator" expected one that is due, got ${validator}`)
  return verifyLane({ head, previous: state.heads[validator] ?? NO_BLOCK, scope, read })
}

/**
 * Could a block of the lane not be had? Then nothing is known of it, and it is worth asking again.
 */
export const isMissing = (lane: CheckedLane): boolean => !lane.ok && lane.code === 'MISSING_BLOCK'
