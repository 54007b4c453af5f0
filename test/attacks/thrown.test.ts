import { describe, expect, test } from 'vitest'
import type { Candidate, State } from '../../packages/duel/src/index.ts'
import {
  crownedFirst,
  ENVS,
  epochOf,
  miner,
  type Scene,
  startedDuels,
} from '../../packages/duel/test/subnet.ts'
import { after, blockOf, contendersIn, playDuels, playOut } from './deciding.ts'

const FLOOR = 510_000
const alone = crownedFirst({ miners: [miner('m1')] })

/** Crowns a miner in a duel in which the champion never replies and the miner earns this share. */
function throwTo(contender: Candidate, share: number, state: State): State {
  const scene = { miners: [contender], rates: [share, 0] as const }
  const started = after(state, scene).state
  expect([started.champion, contendersIn(started)]).toEqual([state.champion, [contender.hotkey]])
  const { state: crowned } = playOut(started, (state) => epochOf(state, scene))
  expect(crowned.champion?.hotkey).toBe(contender.hotkey)
  return crowned
}

// Two keys of one owner throw duels to each other, so that others meet a ratio near the ceiling.
// Protocol §8.10: the recorded rates limit the ratio and are never lowered.
describe('keys-in-turn', () => {
  /** Lets the key that lost commit again, and the champion throw the duel to that key. */
  function change(state: State, revision: string): State {
    const loser = state.champion?.hotkey === 'm1' ? 'm2' : 'm1'
    return throwTo(miner(loser, blockOf(state, state.epoch), revision), 0.9, state)
  }

  test('raises the ratio when a champion crowned without a duel loses, and never again', () => {
    let state = change(alone, 'a')
    expect(state.ratio).toBeGreaterThan(700_000)
    for (const revision of ['b', 'c', 'd']) {
      state = change(state, revision)
      expect(state.ratio).toBe(FLOOR)
    }
  })

  test('crowns a contender that wins 75 % of the challenges after two keys threw duels', () => {
    const miners = [miner('m3', 3)]
    const started = after(change(change(alone, 'a'), 'b'), { miners }).state
    const { thrones } = playDuels(1, started, (state, draw) =>
      epochOf(state, { miners, rates: draw(state, 0.75) }),
    )
    expect(thrones).toBe(1)
  })
})

// A champion with high recorded rates loses on purpose to a weak key of its owner, which loses on
// purpose to a third key. Protocol §8.10, §8.11: a recorded rate is never lowered, and a champion
// is dethroned only by a duel.
describe('throne-handed-over', () => {
  /** A network whose champion once won nine tenths, with the ratio back at the floor. */
  const once = { ...throwTo(miner('k0'), 0.90625, alone), ratio: FLOOR }

  test('keeps the ratio at the floor in four cycles of a weak key that beats a silent champion', () => {
    const known = [787_237, 787_237] // the lower bound of 29 of 32
    expect(Object.values(once.record)).toEqual(known)
    let state: State = once
    for (let cycle = 1; cycle <= 4; cycle++) {
      state = throwTo(miner(`weak ${cycle}`), 0.3125, state)
      expect([Object.values(state.record), state.ratio]).toEqual([known, FLOOR])
      state = throwTo(miner(`next ${cycle}`), 0.90625, state)
      expect([Object.values(state.record), state.ratio]).toEqual([known, FLOOR])
    }
  })

  test('keeps champion and recorded rates when the champion leaves, until it loses', () => {
    const scene: Scene = { miners: [miner('next')], rates: [0.90625, 0] }
    const left = after(once, { ...scene, unregistered: ['k0'] }).state
    expect([left.champion?.hotkey, left.record]).toEqual(['k0', once.record])
    const { state } = playOut(left, (state) => epochOf(state, scene))
    expect([state.champion?.hotkey, state.ratio]).toEqual(['next', FLOOR])
  })
})

// A champion with a high recorded rate loses to an accomplice on purpose, so that the ratio rises.
// Protocol §8.10: the champion's recorded rate, or its rate in this duel if greater, limits the
// ratio.
describe('thrown-with-a-record', () => {
  /** A state in which each environment has a recorded rate, a lower bound, of eight tenths. */
  const known = { ...startedDuels(), record: Object.fromEntries(ENVS.map((env) => [env, 800_000])) }
  const won = (points: readonly [contender: number, champion: number]): State => {
    const scene: Scene = { rates: [0.85, 0], points: () => points }
    return playOut(known, (state) => epochOf(state, scene)).state
  }

  test('raises the ratio to the share that the accomplice’s lower bound supports against the recorded rate', () => {
    const { champion, ratio, record } = won([1, 0])
    // The lower bound of 32 wins in 32 challenges is 0.922030.
    expect(Object.values(record)).toEqual([922_030, 922_030])
    const [a, r] = [922_030, 800_000]
    const supported = Math.floor((1e6 * a * (1e6 - r)) / (a * (1e6 - r) + r * (1e6 - a)))
    expect([champion?.hotkey, ratio]).toEqual(['m2', supported])
  })

  test('leaves the ratio at the floor if the accomplice’s bound is no greater than the recorded rate', () => {
    expect(won([0.85, 0]).ratio).toBe(FLOOR)
    expect(won([0.8, 0]).ratio).toBe(FLOOR)
  })
})
