/*
 * Fresh keys register, 2.6 a day, to keep a veteran waiting for its next turn. The old rules put the
 * fewest turns first, always: 51 registrations kept it out for 398 of 400 epochs. Protocol §8.11:
 * every second turn goes to the one that waits longest, so that it waits for those alone that came
 * before it. One that commits anew after each turn has eight in these 400 epochs, and one that has
 * waited longest is next, or next but one.
 */
import { expect, test } from 'vitest'
import { decide, type State } from '../../packages/duel/src/index.ts'
import { epochOf, miner } from '../../packages/duel/test/subnet.ts'
import { FIRST } from './deciding.ts'

const EPOCHS = 400
/** Six challenges of a hundred are decisive, as many for either: a duel lasts as long as it can. */
const TIED = [0.03, 0.03] as const
const blockOf = (epoch: number) => epoch * FIRST.protocol.epochBlocks

/** A fresh key every eighth epoch, and the veteran, that commits again once it has had its turn. */
function minersIn({ epoch, dueled, duel }: State) {
  const fresh = Array.from({ length: Math.floor((epoch - FIRST.epoch) / 8) + 2 }, (_, i) => {
    const block = blockOf(FIRST.epoch + 8 * i)
    return { ...miner(`fresh ${i}`, block), registered: block }
  })
  const { duels = 0, ended = 0 } = dueled.veteran ?? {}
  const isPlaying = duel?.contender.hotkey === 'veteran'
  const veteran = miner('veteran', blockOf(ended + 1), `${isPlaying ? duels - 1 : duels}`)
  return [miner('m1', 0), veteran, ...fresh.slice(-12)]
}

test('a veteran has its turns, though a fresh key comes for each duel', () => {
  const contenders: string[] = []
  let state = FIRST
  for (let epoch = 0; epoch < EPOCHS; epoch++) {
    const next = decide(state, epochOf(state, { miners: minersIn(state), rates: TIED })).state
    if (next.duel && next.duel.id !== state.duel?.id) contenders.push(next.duel.contender.hotkey)
    state = next
  }
  const turns = contenders.filter((hotkey) => hotkey === 'veteran').length
  expect(contenders.length).toBe(EPOCHS / 8)
  expect(turns).toBe(8)
  const waits = contenders
    .join()
    .split('veteran')
    .map((keys) => keys.split('fresh').length - 1)
  expect(Math.max(...waits)).toBeLessThanOrEqual(10)
})

test('a key that never played is next, or next but one, however many veterans wait', () => {
  const veterans = ['a', 'b', 'c', 'd', 'e']
  let state = FIRST
  const seats = (revision: string) => veterans.map((v, i) => miner(v, 100 + i, revision))
  for (let i = 0; i < 12; i++)
    state = decide(
      state,
      epochOf(state, { miners: [miner('m1', 0), ...seats('x')], rates: [0, 1] }),
    ).state
  const miners = [miner('m1', 0), ...seats('y'), miner('late', blockOf(state.epoch))]
  const turns: (string | undefined)[] = []
  for (let i = 0; i < 2; i++) {
    state = decide(state, epochOf(state, { miners, rates: [0, 1] })).state
    turns.push(state.duel?.contender.hotkey)
  }
  expect(turns).toContain('late')
})
