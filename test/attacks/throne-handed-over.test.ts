/*
 * A champion that is known to be good has the record of its throne washed, for a third key of its
 * owner to win by wins that cost nothing: it hands the throne over to a key that earned little, and
 * that one throws its duel. The old rules let the rates of whoever was crowned take the place of the
 * record, and forgot it with a champion that left: a ratio of .80 in each of four cycles, for eight
 * epochs each. Protocol §8.10: a record is never lowered. Protocol §8.11: nobody leaves the throne
 * but by a duel.
 */
import { expect, test } from 'vitest'
import type { State } from '../../packages/duel/src/index.ts'
import { crownedFirst, epochOf, miner } from '../../packages/duel/test/subnet.ts'
import { after, listed, playOut } from './deciding.ts'

const FLOOR = 510_000

/** The champion is silent, and `name` earns this share of all there is. */
function thrownTo(name: string, share: number, state: State): State {
  const scene = { miners: [miner(name)], rates: [share, 0] as const }
  const started = after(state, scene).state
  expect(listed(started)).toEqual([name])
  const { state: crowned } = playOut(started, (state) => epochOf(state, scene))
  expect(crowned.champion?.hotkey).toBe(name)
  return crowned
}

/** A network whose champion once won by nine tenths, the ratio at the floor again since long. */
const first = crownedFirst({ miners: [miner('m1')] })
const once = { ...thrownTo('k0', 0.90625, first), ratio: FLOOR }

test('in four cycles of a weak key that beats a silent champion the ratio stays at the floor', () => {
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

test('a champion that leaves keeps throne and record until it has lost', () => {
  const left = after(once, { miners: [miner('next')], unregistered: ['k0'] }).state
  expect([left.champion?.hotkey, left.record]).toEqual(['k0', once.record])
  const { state } = playOut(left, (state) =>
    epochOf(state, { miners: [miner('next')], rates: [0.90625, 0] }),
  )
  expect([state.champion?.hotkey, state.ratio]).toEqual(['next', FLOOR])
})
