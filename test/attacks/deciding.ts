import { binomial } from '../../packages/duel/bench/draw.ts'
import {
  type Decided,
  decide,
  type Facts,
  quotasOf,
  type State,
} from '../../packages/duel/src/index.ts'
import { bitmapOf, crownedFirst, epochOf, type Scene } from '../../packages/duel/test/subnet.ts'
import type { Generator } from '../../packages/prng/src/index.ts'

/** The hotkeys of that many voters, ascending. */
export const votersOf = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, i) => `v${String(i).padStart(2, '0')}`)

/** What an epoch like this comes to. */
export const after = (state: State, scene?: Scene): Decided => decide(state, epochOf(state, scene))

/** As `startedDuels`, in a network that has run for long: nobody's trust changes any more. */
export function startedLate(scene: Scene & { readonly validators: readonly string[] }): State {
  const sixteenEpochs = { correct: 32_000_000, incorrect: 0 }
  const trust = Object.fromEntries(scene.validators.map((voter) => [voter, sixteenEpochs]))
  return after({ ...crownedFirst(scene), trust }, scene).state
}

/** The contenders, in the order in which their duels began. */
export const listed = ({ duels }: State): readonly string[] =>
  duels.map(({ contender }) => contender.hotkey)

/** The first block of an epoch. */
export const blockOf = ({ protocol }: State, epoch: number): number => epoch * protocol.epochBlocks

/** What it came to, epoch by epoch, until none of the duels that were on at first is. */
export function playOut(
  begun: State,
  factsOf: (state: State) => Facts,
): { readonly state: State; readonly epochs: readonly Decided[] } {
  const epochs: Decided[] = []
  let state = begun
  const isOn = () => state.duels.some(({ start }) => start <= begun.epoch)
  while (isOn()) {
    const decided = decide(state, factsOf(state))
    epochs.push(decided)
    state = decided.state
  }
  return { state, epochs }
}

/** How many environments these epochs gave to contenders. */
export const winsIn = (epochs: readonly Decided[]): number =>
  epochs
    .flatMap(({ report }) => report.duels)
    .flatMap(({ envs }) => Object.values(envs))
    .filter(({ given }) => given === 'win').length

/** What each lane saw: shares of wins and losses. */
export type Seen = Extract<Scene['rates'], (...lane: never) => unknown>

/** Lanes in which the contender wins each challenge with probability p, drawn one by one. */
export function drawn(random: Generator, state: State, p: number): Seen {
  const quotas = quotasOf(state)
  return (_, env, contender) => {
    const played = quotas[contender]?.[env] ?? 0
    const wins = binomial(played, p, random)
    return [wins / played, 1 - wins / played]
  }
}

/** Lanes of which those of `liars` are made up. */
export const lying =
  (liars: readonly string[], told: Seen, seen: Seen): Seen =>
  (...lane) =>
    liars.includes(lane[0]) ? told(...lane) : seen(...lane)

/** The facts, with attestations that have the bits of these lanes, by voter. */
export function attesting(
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
