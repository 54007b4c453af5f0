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
  computeQuotas,
  countedAttestations,
  type Decision,
  type DuelSnapshot,
  decide,
  dueSeals,
  findAttesters,
  type Lanes,
  type Seals,
  type State,
} from '@affine/duel'
import type { Hash, Result } from '@affine/prng'
import { findConstants, type Subnet } from './networks.ts'
import {
  beaconBlock,
  duelSnapshot,
  type Holder,
  listHolders,
  listSeals,
  sealBlock,
  snapshotBlock,
  sortForReading,
} from './on-chain.ts'

/** Data that a decision needs is unavailable, but not known to be wrong: try again. */
export class UnavailableError extends Error {}

/** Resolves with the heads that due validators sealed in the epoch that `state` governs. */
export async function readSeals(chain: Chain, state: State): Promise<Seals> {
  const { epoch, protocol } = state
  return dueSeals(state, listSeals(await chain.snapshot(sealBlock(epoch, protocol)), epoch))
}

/** The decision of an epoch, and its data. */
export interface EpochResult extends Decision {
  /** State that governed the epoch. */
  readonly before: State
  /** Chain as the decision read it. */
  readonly snapshot: DuelSnapshot
  readonly lanes: ReadonlyMap<string, CheckedLane>
}

export interface LaneSearch {
  readonly validator: string
  readonly head: Hash
  /** Voters whose counted attestations have the lane's bit. */
  readonly attesters: readonly string[]
  /** Validators that may have the lane, in reading order. */
  readonly holders: readonly Holder[]
}

/** Finds and verifies a sealed lane. */
export type FindLane = (sought: LaneSearch) => Promise<CheckedLane>

/**
 * Decides the epoch that `state` governs from the chain and the lanes that `find` finds. Only lanes
 * that enough weight attests can change the result; other lanes are searched for only if `isWanted`
 * returns true for their validator. All searches run concurrently. Protocol §6.5.
 *
 * @throws UnavailableError if a lane that enough weight attests cannot be read.
 */
export async function decideEpoch(
  { chain, network }: Subnet,
  state: State,
  find: FindLane,
  isWanted: (validator: string) => boolean = () => false,
): Promise<EpochResult> {
  const { epoch, protocol, voters } = state
  const ended = await chain.snapshot(snapshotBlock(epoch + 1, protocol))
  const snapshot = duelSnapshot(ended, epoch + 1, findConstants(network, epoch + 1))
  const seals = await readSeals(chain, state)
  const attestations = countedAttestations(state, snapshot)
  const byLane = findAttesters(state, attestations)
  const isNeeded = (validator: string): boolean => byLane[validator]?.attested ?? false
  const holders = listHolders(voters, ended)
  const pending = Object.entries(seals)
    .filter(([validator]) => isNeeded(validator) || isWanted(validator))
    .map(async ([validator, head]) => {
      const { attesters = [] } = byLane[validator] ?? {}
      const order = sortForReading(holders, validator, attesters)
      return [validator, await find({ validator, head, attesters, holders: order })] as const
    })
  const lanes = new Map(await Promise.all(pending))
  const tallies: Record<string, Lanes[string]> = {}
  for (const [validator, lane] of lanes) {
    if (lane.ok) tallies[validator] = lane.value.tallies
    if (lane.ok || !isMissing(lane) || !isNeeded(validator)) continue
    const what = `epoch ${epoch}: the attested lane of ${validator} is not available`
    const advice = 'try again later, or ask its attesters'
    throw new UnavailableError(`${what}: ${advice} (${lane.detail})`)
  }
  const facts = { snapshot, seals, lanes: tallies }
  return { before: state, snapshot, ...decide(state, facts), lanes }
}

export type CheckedLane = Result<Lane, BlockFault>

/**
 * Resolves with the requirements for the lane of `validator` in the epoch that `state` governs, or
 * null if the validator is not due or there is no champion.
 */
export async function laneScope(
  chain: Chain,
  state: State,
  validator: string,
): Promise<Scope | null> {
  const { champion, due, epoch, protocol } = state
  if (champion === undefined || !Object.hasOwn(due, validator)) return null
  const { genesis, netuid } = chain
  const specHashes = Object.entries(protocol.envs).map(([env, { specHash }]) => [env, specHash])
  return {
    genesis,
    netuid,
    validator,
    epoch,
    beacon: await chain.blockHash(beaconBlock(epoch, protocol)),
    commitment: due[validator] ?? '',
    champion: champion.hotkey,
    quotas: computeQuotas(state),
    specHashes: Object.fromEntries(specHashes),
  }
}

/**
 * Verifies the lane that a validator sealed with `head` in the epoch that `state` governs.
 * @throws RangeError, as a rejection, if the validator is not due or there is no champion.
 */
export async function checkLane(lane: {
  readonly chain: Chain
  readonly state: State
  readonly validator: string
  readonly head: Hash
  readonly read: LaneRequest['read']
}): Promise<CheckedLane> {
  const { chain, state, validator, head, read } = lane
  const scope = await laneScope(chain, state, validator)
  if (scope === null) throw new RangeError(`"validator" expected a due validator, got ${validator}`)
  return verifyLane({ head, previous: state.heads[validator] ?? NO_BLOCK, scope, read })
}

/** Reports whether a block of the lane is unavailable. The lane may still be valid: try again. */
export const isMissing = (lane: CheckedLane): boolean => !lane.ok && lane.code === 'MISSING_BLOCK'
