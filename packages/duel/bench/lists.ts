import { type Generator, pcg64 } from '@affine/prng'
import {
  computeEpochIndex,
  decide,
  type Lanes,
  type LaneTally,
  PROTOCOL,
  type State,
} from '../src/index.ts'
import { epochOf, laneOf, miner, type Scene, startedDuels } from '../test/subnet.ts'
import { binomial } from './draw.ts'
import { type Share, shareOf } from './duels.ts'

/** Contenders of one champion, and the validators that judge them. */
export interface List {
  /** Number of epochs before a contender begins its duel, by hotkey, in the order of the list. */
  readonly contenders: Readonly<Record<string, number>>
  /** The contender that should have the throne. It begins immediately. */
  readonly best: string
  readonly stakes: readonly number[]
  /** Number of liars: the last validators, which lie against `best` and for the others. */
  readonly liars: number
  /** Draws the tally of an honest lane. */
  readonly draw: (duel: EpochDuel, random: Generator) => LaneTally
}

/** One environment of one contender in one epoch. */
interface EpochDuel {
  readonly played: number
  readonly env: string
  readonly contender: string
  /** The number of the epoch in the contender's duel, from 1. */
  readonly epochIndex: number
}

/** Plays `count` lists. Returns the share of them in which `best` has the throne. */
export function measureLists(list: List, count: number): Share {
  const random = pcg64(20_260_101n)
  const begun = startedDuels(sceneOf(list, 0))
  const crowned = Array.from({ length: count }, () => crownsBest(list, begun, random))
  return shareOf(crowned.filter(Boolean).length, count)
}

/** Plays one list until the turn of `best` is over. Reports whether `best` is then champion. */
function crownsBest(list: List, begun: State, random: Generator): boolean {
  const { best } = list
  let state = begun
  while (state.duels.some(({ contender }) => contender.hotkey === best)) {
    const facts = epochOf(state, sceneOf(list, state.epoch + 1 - begun.epoch))
    state = decide(state, { ...facts, lanes: drawLanes(list, state, random) }).state
  }
  return state.champion?.hotkey === best
}

const hotkeyOf = (place: number): string => `v${place + 10}`

/** Returns the subnet in which the contenders that begin after `epochs` epochs register. */
function sceneOf({ contenders, stakes }: List, epochs: number): Scene {
  const places = Object.entries({ champion: 0, ...contenders })
  const miners = places.map(([hotkey, after], i) => ({ after, miner: miner(hotkey, i) }))
  return {
    validators: stakes.map((_, place) => hotkeyOf(place)),
    miners: miners.filter(({ after }) => after === epochs).map(({ miner }) => miner),
    protocol: PROTOCOL,
    stakes: Object.fromEntries(stakes.map((stake, place) => [hotkeyOf(place), BigInt(stake)])),
  }
}

/**
 * Draws the lanes of an epoch. Liars copy each contender's best honest lane, but the worst of
 * `best`. They choose the lane for the contender's points and the lane for wins independently,
 * since no rule sets a lane aside because of its points. Protocol §8.5.
 */
function drawLanes({ best, stakes, liars, draw }: List, state: State, random: Generator): Lanes {
  const indexes = new Map(
    state.duels.map((duel) => [duel.contender.hotkey, computeEpochIndex(duel, state.epoch)]),
  )
  const honest = Array.from({ length: stakes.length - liars }, () =>
    laneOf(state, (played, env, contender) => {
      return draw({ played, env, contender, epochIndex: indexes.get(contender) ?? 0 }, random)
    }),
  )
  const lie = laneOf(state, (_, env, contender): LaneTally => {
    const tallies = honest.map((lane) => lane[contender]?.[env] as LaneTally) // each lane has it
    const pickExtreme = (quantity: (tally: LaneTally) => number): LaneTally => {
      const ascending = [...tallies].sort((a, b) => quantity(a) - quantity(b))
      return ascending.at(contender === best ? 0 : -1) as LaneTally
    }
    const [wins, losses, , championPoints] = pickExtreme(([wins, losses]) => wins - losses)
    const [, , points] = pickExtreme(([, , points]) => points)
    return [wins, losses, points, championPoints]
  })
  const lanes = [...honest, ...Array.from({ length: liars }, () => lie)]
  return Object.fromEntries(lanes.map((lane, place) => [hotkeyOf(place), lane]))
}

/** Draws games, of which the contender wins a share of `p`. */
export function drawGames(played: number, p: number, random: Generator): LaneTally {
  const wins = binomial(played, p, random)
  return [wins, played - wins, 0, 0]
}

/** Draws challenges of one player, in which each miner succeeds at its rate, independently. */
export function drawSolo(
  played: number,
  { contender, champion }: { readonly contender: number; readonly champion: number },
  random: Generator,
): LaneTally {
  const succeeded = binomial(played, contender, random)
  const wins = binomial(succeeded, 1 - champion, random)
  const losses = binomial(played - succeeded, champion, random)
  return [wins, losses, 1e6 * succeeded, 1e6 * (succeeded - wins + losses)]
}
