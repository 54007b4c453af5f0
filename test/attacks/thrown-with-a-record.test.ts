/*
 * A champion with a high recorded rate loses to an accomplice on purpose, so that the ratio rises.
 * Protocol §8.10: the champion's recorded rate, or its rate in this duel if greater, limits the
 * ratio.
 */
import { expect, test } from 'vitest'
import type { State } from '../../packages/duel/src/index.ts'
import { ENVS, epochOf, type Scene, startedDuels } from '../../packages/duel/test/subnet.ts'
import { playOut } from './deciding.ts'

/** The recorded rate, a lower bound from earlier duels, is eight tenths. */
const known = { ...startedDuels(), record: Object.fromEntries(ENVS.map((env) => [env, 800_000])) }
const won = (state: State, points: readonly [contender: number, champion: number]) => {
  const scene: Scene = { rates: [0.85, 0], points: () => points }
  return playOut(state, (state) => epochOf(state, scene)).state
}

test('raises the ratio to the share that the accomplice’s bound wins of the recorded rate', () => {
  const { champion, ratio, record } = won(known, [1, 0])
  // The lower bound of 32 wins in 32 challenges is 0.922030.
  expect(Object.values(record)).toEqual([922_030, 922_030])
  const [a, r] = [922_030, 800_000]
  const supported = Math.floor((1e6 * a * (1e6 - r)) / (a * (1e6 - r) + r * (1e6 - a)))
  expect([champion?.hotkey, ratio]).toEqual(['m2', supported])
})

test('leaves the ratio at the floor if the accomplice’s bound is no greater than the recorded rate', () => {
  expect(won(known, [0.85, 0]).ratio).toBe(510_000)
  expect(won(known, [0.8, 0]).ratio).toBe(510_000)
})
