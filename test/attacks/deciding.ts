import { binomial } from '../../packages/duel/bench/draw.ts'
import {
  computeQuotas,
  type Decision,
  decide,
  type Facts,
  type State,
} from '../../packages/duel/src/index.ts'
import { bitmapOf, crownedFirst, epochOf, type Scene } from '../../packages/duel/test/subnet.ts'
import { type Generator, pcg64 } from '../../packages/prng/src/index.ts'

/** Returns the hotkeys of `count` voters, ascending. */
export const votersOf = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, i) => `v${String(i).padStart(2, '0')}`)

/** Returns the decision of the epoch that `state` governs, played as `scene` describes. */
export const after = (state: State, scene?: Scene): Decision => decide(state, epochOf(state, scene))

/** Returns the state of `startedDuels` in a network so old that no trust changes any more. */
export function startedLate(scene: Scene & { readonly validators: readonly string[] }): State {
  const sixteenEpochs = { correct: 32_000_000, incorrect: 0 }
  const trust = Object.fromEntries(scene.validators.map((voter) => [voter, sixteenEpochs]))
  return after({ ...crownedFirst(scene), trust }, scene).state
}

/** Returns the contenders' hotkeys in the order in which their duels began. */
export const contendersIn = ({ duels }: State): readonly string[] =>
  duels.map(({ contender }) => contender.hotkey)

/** Returns the first block of an epoch. */
export const blockOf = ({ protocol }: State, epoch: number): number => epoch * protocol.epochBlocks

/**
 * Decides epochs until every duel of the state `first` has ended. Returns the last state and all
 * decisions.
 */
export function playOut(
  first: State,
  factsOf: (state: State) => Facts,
): { readonly state: State; readonly epochs: readonly Decision[] } {
  const epochs: Decision[] = []
  let state = first
  const isOn = () => state.duels.some(({ start }) => start <= first.epoch)
  while (isOn()) {
    const decided = decide(state, factsOf(state))
    epochs.push(decided)
    state = decided.state
  }
  return { state, epochs }
}

/** A function that returns random lanes, in which the contender wins with probability `p`. */
export type Draw = (state: State, p: number) => LaneRates

/**
 * Plays the duels of `started` to their end, `count` times, with the facts that `factsOf` returns.
 * Returns how often the champion was dethroned, and how many environments contenders won.
 */
export function playDuels(
  count: number,
  started: State,
  factsOf: (state: State, draw: Draw) => Facts,
): { readonly thrones: number; readonly environments: number } {
  const random = pcg64(BigInt(count))
  const won = { thrones: 0, environments: 0 }
  for (let i = 0; i < count; i++) {
    const { state, epochs } = playOut(started, (state) =>
      factsOf(state, (...chance) => drawRates(random, ...chance)),
    )
    won.thrones += Number(state.champion?.hotkey !== started.champion?.hotkey)
    won.environments += epochs
      .flatMap(({ report }) => report.duels.flatMap(({ envs }) => Object.values(envs)))
      .filter(({ given }) => given === 'win').length
  }
  return won
}

/** Returns the wins of all contenders in a lane, minus their losses. */
export const leadIn = (lane: Facts['lanes'][string] = {}): number =>
  Object.values(lane)
    .flatMap((envs) => Object.values(envs))
    .reduce((sum, [wins, losses]) => sum + wins - losses, 0)

/** A function that returns the shares of wins and losses in a lane. */
export type LaneRates = Extract<Scene['rates'], (...lane: never) => unknown>

/** Returns random lanes in which the contender wins each challenge with probability `p`. */
export function drawRates(random: Generator, state: State, p: number): LaneRates {
  const quotas = computeQuotas(state)
  return (_, env, contender) => {
    const played = quotas[contender]?.[env] ?? 0
    const wins = binomial(played, p, random)
    return [wins / played, 1 - wins / played]
  }
}

/** Returns the lanes of `rates`, except that `liars` report `lies`. */
export const withLies =
  (liars: readonly string[], lies: LaneRates, rates: LaneRates): LaneRates =>
  (...lane) =>
    liars.includes(lane[0]) ? lies(...lane) : rates(...lane)

/** Returns the facts, in which each attester attests the lanes that `lanes` returns. */
export function withAttestations(
  state: State,
  { snapshot, ...facts }: Facts,
  lanes: (voter: string) => readonly string[],
): Facts {
  const validators = snapshot.validators.map(({ attest, ...voter }) => ({
    ...voter,
    ...(attest && { attest: { ...attest, bitmap: bitmapOf(state, lanes(voter.hotkey)) } }),
  }))
  return { ...facts, snapshot: { ...snapshot, validators } }
}
