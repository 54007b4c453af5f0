import {
  decide,
  type Facts,
  firstState,
  type Report,
  type State,
} from '../../packages/duel/src/index.ts'
import { bitmapOf, epochOf, MAIN, quotaIn, type Scene } from '../../packages/duel/test/subnet.ts'
import type { Generator } from '../../packages/prng/src/index.ts'

/** The hotkeys of that many voters, ascending. */
export const votersOf = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, i) => `v${String(i).padStart(2, '0')}`)

/** The first epoch of a network: nobody has the throne. */
export const FIRST: State = firstState(MAIN, 10)

/** The first epoch of the duel in which m2 contends for the throne of m1. */
export const begin = (scene: Scene): State => decide(FIRST, epochOf(FIRST, scene)).state

/** A duel to its end: the state that follows, and what each epoch came to. */
export function playOut(
  begun: State,
  factsOf: (state: State) => Facts,
): { readonly state: State; readonly reports: readonly Report[] } {
  const reports: Report[] = []
  let state = begun
  while (state.duel?.id === begun.duel?.id) {
    const settled = decide(state, factsOf(state))
    reports.push(settled.report)
    state = settled.state
  }
  return { state, reports }
}

/** How many environments these epochs gave to the contender. */
export const winsIn = (reports: readonly Report[]): number =>
  reports.flatMap(({ envs }) => Object.values(envs)).filter(({ given }) => given === 'win').length

/** Lanes in which the contender wins each challenge with probability p, drawn one by one. */
export function drawn(random: Generator, state: State, p: number) {
  const played = quotaIn(state)
  return (): readonly [wins: number, losses: number] => {
    const wins = binomial(played, p, random)
    return [wins / played, 1 - wins / played]
  }
}

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

/** How many of n succeed, each with probability p: one draw, looked up in the distribution. */
function binomial(n: number, p: number, random: Generator): number {
  let left = random.random()
  let mass = (1 - p) ** n
  for (let k = 0; k < n; k++) {
    left -= mass
    if (left < 0) return k
    mass *= ((n - k) / (k + 1)) * (p / (1 - p))
  }
  return n
}
