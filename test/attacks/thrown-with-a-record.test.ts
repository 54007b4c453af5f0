/*
 * A champion that is known to be good loses to an accomplice on purpose, for the ratio to rise by
 * wins that cost nothing. Protocol §8.10: the bound is by the better of its record and of what it
 * earned in this duel.
 */
import { expect, test } from 'vitest'
import type { State } from '../../packages/duel/src/index.ts'
import { ENVS, epochOf, type Scene, startedDuels } from '../../packages/duel/test/subnet.ts'
import { playOut } from './deciding.ts'

/** The champion earned eight tenths, in the duel that crowned it or in one that it survived. */
const known = { ...startedDuels(), record: Object.fromEntries(ENVS.map((env) => [env, 800_000])) }
const won = (state: State, points: readonly [contender: number, champion: number]) => {
  const scene: Scene = { rates: [0.85, 0], points: () => points }
  return playOut(state, (state) => epochOf(state, scene)).state
}

test('the ratio rises by what the accomplice earned over the record: 0.85 · 0.2 to 0.8 · 0.15', () => {
  const { champion, ratio, record } = won(known, [0.85, 0])
  expect([champion?.hotkey, ratio]).toEqual(['m2', 586_206])
  expect(Object.values(record)).toEqual([850_000, 850_000])
})

test('an accomplice that earned no more than the record leaves it at the floor', () => {
  expect(won(known, [0.8, 0]).ratio).toBe(510_000)
  expect(won(known, [0.7, 0]).ratio).toBe(510_000)
})
