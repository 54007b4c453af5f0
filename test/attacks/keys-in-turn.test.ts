/*
 * Two keys of one owner throw duels to each other, so that others meet a ratio near the ceiling.
 * Protocol §8.10: the recorded rates limit the ratio and are never lowered.
 */
import { expect, test } from 'vitest'
import type { State } from '../../packages/duel/src/index.ts'
import { crownedFirst, epochOf, miner, type Scene } from '../../packages/duel/test/subnet.ts'
import { pcg64 } from '../../packages/prng/src/index.ts'
import { after, blockOf, contendersIn, drawRates, playOut } from './deciding.ts'

const FLOOR = 510_000
/** Each key earns nine tenths as contender, and nothing as champion. */
const THROWN: Scene = { rates: [0.9, 0], points: () => [0.9, 0] }

/** Lets the key that lost commit again, and the champion throw the duel to that key. */
function change(state: State, revision: string): State {
  const { hotkey = '' } = state.champion ?? {}
  const loser = hotkey === 'm1' ? 'm2' : 'm1'
  const scene = { ...THROWN, miners: [miner(loser, blockOf(state, state.epoch), revision)] }
  const started = after(state, scene).state
  expect([started.champion?.hotkey, contendersIn(started)]).toEqual([hotkey, [loser]])
  return playOut(started, (state) => epochOf(state, scene)).state
}

const alone = crownedFirst({ miners: [miner('m1')] })

test('raises the ratio when a champion crowned without a duel loses, and never again', () => {
  const once = change(alone, 'a')
  expect(once.ratio).toBeGreaterThan(700_000)
  let state = once
  for (const revision of ['b', 'c', 'd']) {
    state = change(state, revision)
    expect(state.ratio).toBe(FLOOR)
  }
})

test('crowns a contender that wins 75 % of the challenges after two keys threw duels', () => {
  const thrown = change(change(alone, 'a'), 'b')
  const miners = [miner('m3', 3)]
  const started = after(thrown, { miners }).state
  const random = pcg64(81n)
  const { state } = playOut(started, (state) =>
    epochOf(state, { miners, rates: drawRates(random, state, 0.75) }),
  )
  expect(state.champion?.hotkey).toBe('m3')
})
