/*
 * A champion that has driven up the ratio to beat leaves, and has a key of its own, or its own new
 * commitment, take the seat that is now so hard to win. Protocol §8.11: a seat taken without a duel
 * is taken at the floor ratio.
 */
import { expect, test } from 'vitest'
import { decide, type State } from '../../packages/duel/src/index.ts'
import { epochOf, miner, type Scene } from '../../packages/duel/test/subnet.ts'
import { pcg64 } from '../../packages/prng/src/index.ts'
import { begin, drawn, playOut } from './deciding.ts'

const FLOOR = 510_000
const high = (state: State): State => ({ ...state, ratio: 800_000 })
const after = (state: State, miners: Scene['miners'] = []) =>
  decide(state, epochOf(state, { miners })).state

/** m1 on the throne, and nobody who waits. */
const alone = high(begin({ miners: [miner('m1')] }))
/** m1 on the throne, and m2 contends. */
const contended = high(begin({}))
const renewed = miner('m1', 9, 'new')

test.each([
  ['deregisters, and another is the only one who waits', alone, [miner('m3', 3)], 'm3'],
  ['commits anew, and takes its own seat', alone, [renewed], 'm1'],
  ['and its contender leave a duel together', contended, [miner('m3', 3)], 'm3'],
  ['and its contender commit anew', contended, [renewed, miner('m2', 10, 'new')], 'm1'],
] as const)('the champion %s', (_, state, miners, champion) => {
  const next = after(state, miners)
  expect([next.champion?.hotkey, next.ratio]).toEqual([champion, FLOOR])
})

test('whoever has the seat then is dethroned by a contender that wins six in ten', () => {
  const miners = [miner('m3', 3), miner('m2', 10)]
  const started = after(alone, miners)
  expect(started.duel).toMatchObject({ champion: { hotkey: 'm3' }, ratio: FLOOR })
  const random = pcg64(80n)
  const { state } = playOut(started, (state) =>
    epochOf(state, { miners, rates: drawn(random, state, 0.6) }),
  )
  expect(state.champion?.hotkey).toBe('m2')
})
