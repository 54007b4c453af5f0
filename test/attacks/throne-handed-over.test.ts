/*
 * A champion with high recorded rates loses on purpose to a weak key of its owner, which loses on
 * purpose to a third key. Protocol §8.10, §8.11: a recorded rate is never lowered, and a champion
 * is dethroned only by a duel.
 */
import { expect, test } from 'vitest'
import type { State } from '../../packages/duel/src/index.ts'
import { crownedFirst, epochOf, miner } from '../../packages/duel/test/subnet.ts'
import { after, contendersIn, playOut } from './deciding.ts'

const FLOOR = 510_000

/** Crowns `name` in a duel in which the champion never replies and `name` earns this share. */
function thrownTo(name: string, share: number, state: State): State {
  const scene = { miners: [miner(name)], rates: [share, 0] as const }
  const started = after(state, scene).state
  expect(contendersIn(started)).toEqual([name])
  const { state: crowned } = playOut(started, (state) => epochOf(state, scene))
  expect(crowned.champion?.hotkey).toBe(name)
  return crowned
}

/** A network whose champion once won nine tenths, with the ratio back at the floor. */
const first = crownedFirst({ miners: [miner('m1')] })
const once = { ...thrownTo('k0', 0.90625, first), ratio: FLOOR }

test('keeps the ratio at the floor in four cycles of a weak key that beats a silent champion', () => {
  const known = [787_237, 787_237] // the lower bound of 29 of 32
  expect(Object.values(once.record)).toEqual(known)
  let state: State = once
  for (let cycle = 1; cycle <= 4; cycle++) {
    state = thrownTo(`weak ${cycle}`, 0.3125, state)
    expect([Object.values(state.record), state.ratio]).toEqual([known, FLOOR])
    state = thrownTo(`next ${cycle}`, 0.90625, state)
    expect([Object.values(state.record), state.ratio]).toEqual([known, FLOOR])
  }
})

test('keeps champion and recorded rates when the champion leaves, until it loses', () => {
  const left = after(once, { miners: [miner('next')], unregistered: ['k0'] }).state
  expect([left.champion?.hotkey, left.record]).toEqual(['k0', once.record])
  const { state } = playOut(left, (state) =>
    epochOf(state, { miners: [miner('next')], rates: [0.90625, 0] }),
  )
  expect([state.champion?.hotkey, state.ratio]).toEqual(['next', FLOOR])
})
