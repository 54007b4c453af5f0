/*
 * Liars of just under a third admit to few decisive challenges, so that what the others saw by
 * luck looks certain. Protocol §8.6: the variance is that of the lanes in which chance has most
 * room, whichever are trimmed, so that a lie cannot make it less.
 */
import { expect, test } from 'vitest'
import {
  type Facts,
  type LaneTally,
  playedEnvs,
  quotasOf,
  type State,
  seenIn,
  sumTallies,
  type Tally,
} from '../../packages/duel/src/index.ts'
import { ENVS, epochOf, scored, startedDuels } from '../../packages/duel/test/subnet.ts'
import { pcg64 } from '../../packages/prng/src/index.ts'
import { drawn, playOut, votersOf, winsIn } from './deciding.ts'

const validators = votersOf(7)
const liars = validators.slice(0, 2)
const started = startedDuels({ validators })

test('twenty of 32 do not crown when two of seven admit to seven wins and nothing else', () => {
  const rates = (voter: string) =>
    liars.includes(voter) ? ([7 / 32, 0] as const) : ([20 / 32, 12 / 32] as const)
  const [first] = playOut(started, (state) => epochOf(state, { validators, rates })).epochs
  const [duel] = first?.report.duels ?? []
  for (const env of ENVS) expect(duel?.envs[env]).toMatchObject({ setAside: [], given: undefined })
  expect(duel?.standing).toBe('open')
})

/** The i-th of these counts, ascending. */
const ranked = (counts: readonly number[], i: number) => [...counts].sort((a, b) => a - b)[i] ?? 0

/** Is a lane with x of `played` not set aside beside a median lane with y? Protocol §8.5. */
const passes = (x: number, y: number, played: number) =>
  (x - y) ** 2 * 2 * played <= 36 * (x + y) * (2 * played - x - y)

/**
 * What a liar who knows all of them tells beside these honest lanes: over the duel the middle of
 * their wins, and as few losses as pass.
 */
function thinLie(told: Tally | undefined, honest: readonly Tally[], quota: number) {
  const { wins = 0, losses = 0, played = 0 } = told ?? {}
  const median = ranked(
    honest.map((lane) => lane.losses),
    (validators.length >> 1) - liars.length,
  )
  let fewest = losses
  while (!passes(fewest, median, played + quota)) fewest++
  const middle = ranked(
    honest.map((lane) => lane.wins),
    honest.length >> 1,
  )
  const won = Math.min(Math.max(middle - wins, 0), quota)
  return { wins: won, losses: Math.min(fewest - losses, quota - won) }
}

/** The facts, with the liars' lanes as thin as they get. */
function thinned(state: State, facts: Facts): Facts {
  const [duel] = state.duels
  if (duel === undefined) throw new Error('the duel is over')
  const { hotkey } = duel.contender
  const lanes = structuredClone(facts.lanes) as Lanes
  for (const env of playedEnvs(duel, state)) {
    const played = quotasOf(state)[hotkey]?.[env] ?? 0
    const now = Object.fromEntries(
      validators.map((voter) => [voter, tallyOf(lanes[voter]?.[hotkey]?.[env], played)]),
    )
    const before = seenIn(duel, env, state.protocol)
    const sums = sumTallies([...before, now])
    const honest = validators.flatMap((v) => (liars.includes(v) ? [] : (sums[v] ?? [])))
    for (const liar of liars) {
      const { wins, losses } = thinLie(sumTallies(before)[liar], honest, played)
      lanes[liar]![hotkey]![env] = [wins, losses, 1_000_000 * wins, 1_000_000 * losses]
    }
  }
  return { ...facts, lanes }
}

type Lanes = Record<string, Record<string, Record<string, LaneTally>>>

const tallyOf = ([wins, losses]: LaneTally = [0, 0, 0, 0], played: number): Tally =>
  scored({ wins, losses, played })

/** What forty duels come to for a contender with this share of wins: thrones and environments. */
function fortyDuels(p: number) {
  const random = pcg64(7n)
  const won = { thrones: 0, environments: 0 }
  for (let i = 0; i < 40; i++) {
    const { state, epochs } = playOut(started, (state) =>
      thinned(state, epochOf(state, { validators, rates: drawn(random, state, p) })),
    )
    if (state.champion?.hotkey === 'm2') won.thrones++
    won.environments += winsIn(epochs)
  }
  return won
}

test('at the ratio the contender wins at most one environment in twenty, and at p = 0.6 the throne', () => {
  const { thrones, environments } = fortyDuels(0.51)
  expect(thrones).toBe(0)
  expect(environments).toBeLessThanOrEqual(4)
  expect(fortyDuels(0.6).thrones).toBe(40)
})
