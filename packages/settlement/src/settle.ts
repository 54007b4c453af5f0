import {
  type BlockFault,
  type Lane,
  type LaneRequest,
  NO_BLOCK,
  type Scope,
  verifyLane,
} from '@affine/blocks'
import type { Chain } from '@affine/chain'
import {
  attestedLanes,
  type DuelSnapshot,
  dueSeals,
  openEnvs,
  quotaOf,
  type Seals,
  type State,
  settle,
} from '@affine/duel'
import type { Hash, Result } from '@affine/prng'
import type { Subnet } from './networks.ts'
import { duelSnapshot, sealsOf } from './snapshot.ts'
import { beaconBlock, sealBlock, snapshotBlock } from './timetable.ts'

/**
 * A public fact that is needed to decide an epoch and could not be had. Nothing is known to be
 * false: try again.
 */
export class Unavailable extends Error {}

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
  const share = quotaOf(epoch - duel.start + 1, protocol)
  return {
    genesis,
    netuid,
    validator,
    epoch,
    beacon: await chain.blockHash(beaconBlock(epoch, protocol)),
    commitment: due[validator] ?? '',
    duel,
    quota: Object.fromEntries(openEnvs(duel, protocol).map((env) => [env, share])),
    specHashes: protocol.envs,
  }
}

/** Which lane to verify, and how its blocks are read. */
export interface SealedLane extends Pick<LaneRequest, 'head' | 'read'> {
  readonly chain: Chain
  /** Governs the lane's epoch. */
  readonly state: State
  /** Who sealed it. */
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

/** The heads that close the lanes of the epoch that `state` governs, of validators that are due. */
export async function readSeals(chain: Chain, state: State): Promise<Seals> {
  const { epoch, protocol } = state
  return dueSeals(state, sealsOf(await chain.snapshot(sealBlock(epoch, protocol)), epoch))
}

/** One epoch decided: the state that governs the next, an account of it, and what led to it. */
export interface Settled extends ReturnType<typeof settle> {
  /** The state that governed the epoch. */
  readonly before: State
  /** The chain as the decision read it. */
  readonly snapshot: DuelSnapshot
  readonly lanes: ReadonlyMap<string, CheckedLane>
}

/** Finds and verifies the lane that `validator` sealed with `head`. */
export type FindLane = (validator: string, head: Hash) => Promise<CheckedLane>

/**
 * Decides the epoch that `state` governs, from the chain and the lanes that `findLane` finds. Every
 * sealed lane of a due validator is asked for, all at once; only those attested by more than half
 * the weight can change the outcome. Protocol §6.5.
 *
 * @throws Unavailable when such a lane cannot be had whole: its attesters say it is, so the data
 *   must exist.
 */
export async function settleEpoch(
  { chain, network }: Subnet,
  state: State,
  findLane: FindLane,
): Promise<Settled> {
  const { epoch, protocol } = state
  const ended = await chain.snapshot(snapshotBlock(epoch + 1, protocol))
  const snapshot = duelSnapshot(ended, epoch + 1, network.protocol)
  const seals = await readSeals(chain, state)
  const found = Object.entries(seals).map(
    async ([validator, head]) => [validator, await findLane(validator, head)] as const,
  )
  const lanes = new Map(await Promise.all(found))
  const needed = attestedLanes(state, snapshot)
  const tallies: Record<string, Lane['tallies']> = {}
  for (const [validator, lane] of lanes) {
    if (lane.ok) tallies[validator] = lane.value.tallies
    if (isMissing(lane) && needed.includes(validator))
      throw new Unavailable(`epoch ${epoch}: the attested lane of ${validator} is not to be had`)
  }
  return { before: state, snapshot, ...settle(state, { snapshot, seals, lanes: tallies }), lanes }
}
