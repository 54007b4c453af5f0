import type { Lane } from '@affine/blocks'
import type { Chain } from '@affine/chain'
import {
  attestedLanes,
  type Decided,
  type DuelSnapshot,
  decide,
  dueSeals,
  laneAttesters,
  type Seals,
  type State,
} from '@affine/duel'
import type { Hash } from '@affine/prng'
import { type CheckedLane, isMissing } from './checked-lane.ts'
import { type Holder, holdersOf, inReadingOrder } from './holders.ts'
import { constantsFor, type Subnet } from './networks.ts'
import { duelSnapshot, sealsOf } from './snapshot.ts'
import { sealBlock, snapshotBlock } from './timetable.ts'

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

/** Where the lanes of an epoch come from. */
export interface LaneFinder {
  readonly find: FindLane
  /** Which lanes to look at though no decision needs them, for the account; none if left out. */
  readonly isWanted?: (validator: string) => boolean
}

/**
 * Decides the epoch that `state` governs, from the chain and the lanes that `finder` finds. Only
 * lanes that their attesters' weight accepts, if they are whole, can change the outcome: no others
 * are waited for, unless they are wanted. All are asked for at once. Protocol §6.5.
 *
 * @throws Unavailable when such a lane cannot be had whole: its attesters say it is, so the data
 *   must exist.
 */
export async function settleEpoch(
  { chain, network }: Subnet,
  state: State,
  { find, isWanted = () => false }: LaneFinder,
): Promise<Settled> {
  const { epoch, protocol, duel } = state
  const ended = await chain.snapshot(snapshotBlock(epoch + 1, protocol))
  const snapshot = duelSnapshot(ended, epoch + 1, constantsFor(network, epoch + 1))
  const seals = await readSeals(chain, state)
  const needed = attestedLanes(state, snapshot)
  const attestersOf = laneAttesters(state, snapshot)
  const holders = holdersOf(duel, ended)
  const found = Object.entries(seals)
    .filter(([validator]) => needed.includes(validator) || isWanted(validator))
    .map(async ([validator, head]) => {
      const attesters = attestersOf[validator] ?? []
      const order = inReadingOrder(holders, validator, attesters)
      return [validator, await find({ validator, head, attesters, holders: order })] as const
    })
  const lanes = new Map(await Promise.all(found))
  const tallies: Record<string, Lane['tallies']> = {}
  for (const [validator, lane] of lanes) {
    if (lane.ok) tallies[validator] = lane.value.tallies
    if (!isMissing(lane) || !needed.includes(validator)) continue
    const advice = 'try again later, or ask those who attested it'
    throw new Unavailable(
      `epoch ${epoch}: the attested lane of ${validator} is not available: ${advice}`,
    )
  }
  const facts = { snapshot, seals, lanes: tallies }
  return { before: state, snapshot, ...decide(state, facts), lanes }
}
