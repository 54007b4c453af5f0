/*
 * A champion leaves its throne to a key of the same owner, which then throws its duel to a third
 * one, for the ratio to rise to the ceiling. The old rules forgot the record with the champion: a
 * ratio of .80 in each of four cycles, with the first key sitting down without a duel, or winning
 * one in whose first epoch the champion left, with nothing shown. Protocol §8.10: a throne that is
 * got in any other way than by verdicts keeps its record.
 */
import { expect, test } from 'vitest'
import { decide, type Miner, type State } from '../../packages/duel/src/index.ts'
import { epochOf, miner, type Scene } from '../../packages/duel/test/subnet.ts'
import { begin, playOut } from './deciding.ts'

const FLOOR = 510_000
/** Whoever contends earns nine tenths, and the champion nothing. */
const THROWN: Scene = { rates: [0.9, 0], points: () => [0.9, 0] }

const seated = ({ hotkey = '', revision }: Partial<Miner> = {}) => miner(hotkey, 1, revision)

/** The champion, seated like this, throws a duel to `name`. */
function thrownTo(name: string, state: State): State {
  const miners = [seated(state.champion), miner(name, 2)]
  const started = state.duel ? state : decide(state, epochOf(state, { ...THROWN, miners })).state
  expect(started.duel?.contender.hotkey).toBe(name)
  return playOut(started, (state) => epochOf(state, { ...THROWN, miners })).state
}

/** The champion leaves, and `name` sits down without a duel. */
const vacated = (name: string, state: State): State =>
  decide(state, epochOf(state, { miners: [miner(name, 2)] })).state

/** `name` contends, and the champion leaves in that duel's first epoch: nothing was shown. */
function inherited(name: string, state: State): State {
  const both = [seated(state.champion), miner(name, 2)]
  const started = decide(state, epochOf(state, { miners: both })).state
  expect(started.duel?.contender.hotkey).toBe(name)
  return decide(started, epochOf(started, { miners: [miner(name, 2)], rates: [0, 0] })).state
}

/** A network whose champion once won by nine tenths, the ratio at the floor again since long. */
const once = { ...thrownTo('k0', begin({ miners: [miner('m1')] })), ratio: FLOOR }

test.each([
  ['sits down without a duel', vacated],
  ['wins the duel in whose first epoch the champion leaves', inherited],
] as const)('in four cycles of a key that %s the ratio stays at the floor', (_, handOver) => {
  expect(Object.values(once.record)).toEqual([900_000, 900_000])
  let state: State = once
  for (let cycle = 1; cycle <= 4; cycle++) {
    state = handOver(`sits ${cycle}`, state)
    expect(state.champion?.hotkey).toBe(`sits ${cycle}`)
    expect(Object.values(state.record)).toEqual([900_000, 900_000])
    state = thrownTo(`next ${cycle}`, state)
    expect([state.champion?.hotkey, state.ratio]).toEqual([`next ${cycle}`, FLOOR])
  }
})

test('an empty throne keeps its record for whoever takes it', () => {
  const empty = decide(once, epochOf(once, { miners: [] })).state
  expect(empty.champion).toBeUndefined()
  const taken = vacated('sits', empty)
  expect([taken.champion?.hotkey, taken.record]).toEqual(['sits', once.record])
  expect(thrownTo('next', taken).ratio).toBe(FLOOR)
})
