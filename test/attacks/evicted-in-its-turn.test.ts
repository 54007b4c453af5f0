/*
 * On a full subnet a registration evicts the miner with the least emission, among equals the
 * oldest. This can be a miner early in the queue, or a new champion. Protocol §8.11: what a miner
 * had committed when its turn began applies until the turn ends, regardless of evictions,
 * registrations and new commitments.
 */
import { describe, expect, it } from 'vitest'
import { type Candidate, pickMiner, type State } from '../../packages/duel/src/index.ts'
import { epochOf, MAIN, miner, type Scene, startedDuels } from '../../packages/duel/test/subnet.ts'
import { after, blockOf, contendersIn, playDuels } from './deciding.ts'

const champion = miner('m1')
const better = miner('m2', 2)
const started = startedDuels({ miners: [champion, better] })
const ONE = { ...MAIN, duelsMost: 1 }
const OPEN: Scene['rates'] = [0.5625, 0.4375]

it('a contender that is evicted in the middle of its duel is crowned if it is better', () => {
  const { thrones } = playDuels(10, started, (state, draw) =>
    epochOf(state, { miners: [champion], rates: draw(state, 0.6) }),
  )
  expect(thrones).toBe(10)
})

describe('a new champion that is evicted before it has any emission', () => {
  const crowned = after(started, { miners: [champion], rates: [1, 0] }).state

  it('stays champion while no contender wins its duel', () => {
    const miners = [miner('m3', 3), miner('m4', 4)]
    let state = after(crowned, { miners }).state
    expect([state.champion, contendersIn(state)]).toEqual([pickMiner(better), ['m3', 'm4']])
    for (let epoch = 0; epoch < 8; epoch++) state = after(state, { miners, rates: OPEN }).state
    expect(state.champion?.hotkey).toBe('m2')
  })

  it('is the same champion after registering again', () => {
    const block = blockOf(crowned, crowned.epoch)
    const back = [{ ...better, registered: block }, miner('m3', 3)]
    const { state } = after(crowned, { miners: back })
    expect([state.champion, contendersIn(state)]).toEqual([pickMiner(better), ['m3']])
  })
})

/** An action of a contender, its slots afterwards, and the hotkeys with a duel after its loss. */
const STEPS = [
  ['is evicted', () => [], []],
  ['registers again', (block) => [{ ...better, registered: block }], []],
  ['commits again', (block) => [{ ...better, block, revision: 'new' }], ['m2']],
  ['swaps its hotkey', (registered) => [{ ...miner('swapped'), registered }], ['swapped']],
] as const satisfies readonly Step[]
type Step = readonly [string, (block: number) => readonly Candidate[], readonly string[]]

describe.each<Step>(STEPS)('a contender that %s', (_, move, waiting) => {
  const moved = (state: State) => move(blockOf(state, state.epoch))

  it('is listed once until its turn ends, with its commitment at the start of the turn', () => {
    let state = started
    const others = ['m3', 'm4'].map((name, i) => miner(name, 3 + i))
    for (let epoch = 0; epoch < 3; epoch++) {
      state = after(state, { miners: [champion, ...moved(started), ...others], rates: OPEN }).state
      const [duel] = state.duels
      expect([duel?.contender, duel?.start]).toEqual([pickMiner(better), started.epoch])
      const hotkeys = contendersIn(state)
      expect(new Set(hotkeys).size).toBe(hotkeys.length)
      expect(hotkeys.filter((hotkey) => hotkey === 'm2')).toHaveLength(1)
    }
  })

  it('waits only with a new commitment or hotkey, behind all miners present at its loss', () => {
    const begun = startedDuels({ protocol: ONE, miners: [champion, better] })
    const late = miner('late', blockOf(begun, begun.epoch) - 1)
    const scene: Scene = { protocol: ONE, rates: [0, 1], miners: [champion, late, ...moved(begun)] }
    const lost = after(begun, scene).state
    expect(contendersIn(lost)).toEqual(['late'])
    expect(contendersIn(after(lost, scene).state)).toEqual(waiting)
  })
})
