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
  countedAttestations,
  type Decided,
  type DuelSnapshot,
  decide,
  dueSeals,
  type Lanes,
  laneAttesters,
  quotasOf,
  type Seals,
  type State,
} from '@affine/duel'
import type { Hash, Result } from '@affine/prng'
import { findConstants, type Subnet } from './networks.ts'
import {
  beaconBlock,
  duelSnapshot,
  type Holder,
  holdersOf,
  inReadingOrder,
  sealBlock,
  sealsOf,
  snapshotBlock,
} from './on-chain.ts'

/**
 * A public fact that is needed to decide an epoch and could not be had. Nothing is known to be
 * false: try again.
 */
export class Unavailable extends Error {}

/** The heads that close the lanes of the epoch that `state` governs, of validators that are due. */
export async function readSeals(chain: Chain, state: State): Promise<Seals> {
  const { epoch, protocol } = state
  return dueSeals(state, sealsOf(await chain.snapshot(sealBlock(epoch, protocol)), epoch))
}

/** One epoch decided: the state that governs the next, an account of it, and what led to it. */
export interface Settled extends Decided {
  /** The state that governed the epoch. */
  readonly before: State
  /** The chain as the decision read it. */
  readonly snapshot: DuelSnapshot
  readonly lanes: ReadonlyMap<string, CheckedLane>
}

/** A sealed lane that is looked for. */
export interface Sought {
  readonly validator: string
  readonly head: Hash
  /** Whose attestations have its bit. */
  readonly attesters: readonly string[]
  /** The validators that may have it, in the order in which to ask. */
  readonly holders: readonly Holder[]
}

/** Finds and verifies a sealed lane. */
export type FindLane = (sought: Sought) => Promise<CheckedLane>

/**
 * Decides the epoch that `state` governs, from the chain and the lanes that `find` finds. Only
 * lanes that their attesters' weight accepts, if they are whole, can change the outcome: no others
 * are looked for, unless they are wanted for the account. All are asked for at once. Protocol §6.5.
 *
 * @throws Unavailable when such a lane cannot be had whole: its attesters say it is, so the data
 *   must exist.
 */
export async function decideEpoch(
  { chain, network }: Subnet,
  state: State,
  find: FindLane,
  isWanted: (validator: string) => boolean = () => false,
): Promise<Settled> {
  const { epoch, protocol, voters } = state
  const ended = await chain.snapshot(snapshotBlock(epoch + 1, protocol))
  const snapshot = duelSnapshot(ended, epoch + 1, findConstants(network, epoch + 1))
  const seals = await readSeals(chain, state)
  const heard = countedAttestations(state, snapshot)
  const needed = attestedLanes(state, heard)
  const attestersOf = laneAttesters(state, heard)
  const holders = holdersOf(voters, ended)
  const found = Object.entries(seals)
    .filter(([validator]) => needed.includes(validator) || isWanted(validator))
    .map(async ([validator, head]) => {
      const attesters = attestersOf[validator] ?? []
      const order = inReadingOrder(holders, validator, attesters)
      return [validator, await find({ validator, head, attesters, holders: order })] as const
    })
  const lanes = new Map(await Promise.all(found))
  const tallies: Record<string, Lanes[string]> = {}
  for (const [validator, lane] of lanes) {
    if (lane.ok) tallies[validator] = lane.value.tallies
    if (lane.ok || !isMissing(lane) || !needed.includes(validator)) continue
    const what = `epoch ${epoch}: the attested lane of ${validator} is not available`
    const advice = 'try again later, or ask those who attested it'
    throw new Unavailable(`${what}: ${advice} (${lane.detail})`)
  }
  const facts = { snapshot, seals, lanes: tallies }
  return { before: state, snapshot, ...decide(state, facts), lanes }
}

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
    quotas: quotasOf(state),
    specHashes: Object.fromEntries(specHashes),
  }
}

/**
 * Verifies the lane that a validator sealed with `head` in the epoch that `state` governs.
 * @throws RangeError when it is not due.
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
  if (scope === null) throw new RangeError(`"validator" expected one that is due, got ${validator}`)
  return verifyLane({ head, previous: state.heads[validator] ?? NO_BLOCK, scope, read })
}

/**
 * Could a block of the lane not be had? Then nothing is known of it, and it is worth asking again.
 */
export const isMissing = (lane: CheckedLane): boolean => !lane.ok && lane.code === 'MISSING_BLOCK'
