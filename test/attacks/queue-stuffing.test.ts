/*
 * One owner's keys commit again after each duel, or the owner registers new keys, so that others
 * wait longer. Protocol §8.12: a miner waits since its commitment, its registration, or the end of
 * its last duel, and the longest wait is first. So no miner waits for a miner that came later.
 */
import { expect, test } from 'vitest'
import { PROTOCOL, type State } from '../../packages/duel/src/index.ts'
import { crownedFirst, miner, type Scene } from '../../packages/duel/test/subnet.ts'
import { after, blockOf, contendersIn } from './deciding.ts'

const entrants = Array.from({ length: 20 }, (_, i) => `s${String(i).padStart(2, '0')}`)
/** Seven of a hundred challenges are decisive, so few that a duel takes the maximum of epochs. */
const TIED = [0.0375, 0.03] as const

/** Returns how many epochs a miner waits that comes `from` epochs after the first. */
function waitOf(from: number, minersIn: (state: State) => Scene['miners']): number {
  let state = crownedFirst({ miners: [miner('king')] })
  const late = miner('late', blockOf(state, state.epoch + from))
  for (let epochs = 0; epochs < 100; epochs++) {
    const isThere = epochs >= from
    const miners = [...(minersIn(state) ?? []), ...(isThere ? [late] : [])]
    state = after(state, { miners, rates: TIED }).state
    if (contendersIn(state).includes('late')) return epochs - from
  }
  throw new Error('late waits for ever')
}

/** Returns the owner's miners, each with a new commitment at the end of its last turn. */
const again = ({ lastPlayed }: State) =>
  entrants.map((hotkey) => {
    const left = lastPlayed[hotkey]?.left ?? 0
    return miner(hotkey, left, `${left}`)
  })

test('lets a newcomer wait only for miners that have waited longer', () => {
  const { duelsMost, duelEpochs } = PROTOCOL
  for (const from of [1, 9, 20]) {
    const wait = waitOf(from, again)
    expect(wait).toBeLessThanOrEqual(Math.ceil(entrants.length / duelsMost) * duelEpochs)
    expect(wait).toBeGreaterThan(0)
  }
})

test('begins a newcomer’s duel once the first eight end, before later keys, eight an epoch', () => {
  const fresh = (state: State) =>
    Array.from({ length: 8 * (state.epoch - 10) }, (_, i) => {
      const block = blockOf(state, 11 + Math.floor(i / 8)) + 1 + (i % 8)
      return { ...miner(`fresh ${i}`, block), registered: block }
    })
  expect(waitOf(1, fresh)).toBe(PROTOCOL.duelEpochs - 1)
})
