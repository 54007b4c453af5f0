/*
 * One owner's keys commit again whenever they have played, or fresh keys register for every place,
 * to keep others waiting. The old rules put the fewest turns first: 51 registrations kept a veteran
 * out for 398 of 400 epochs; then every second turn went to the longest wait. Protocol §8.12: a
 * miner waits since its commitment, its registration, or the end of its last turn, and the longest
 * wait is first. So nobody waits for a turn of anyone who came later.
 */
import { expect, test } from 'vitest'
import { PROTOCOL, type State } from '../../packages/duel/src/index.ts'
import { crownedFirst, miner, type Scene } from '../../packages/duel/test/subnet.ts'
import { after, blockOf, listed } from './deciding.ts'

const stuffing = Array.from({ length: 20 }, (_, i) => `s${String(i).padStart(2, '0')}`)
/** Seven challenges of a hundred are decisive, too few to tell: a duel lasts as long as it can. */
const TIED = [0.0375, 0.03] as const

/** The epochs until `late`, which comes `from` epochs after the first, is in the list. */
function waitOf(from: number, minersIn: (state: State) => Scene['miners']): number {
  let state = crownedFirst({ miners: [miner('king')] })
  const late = miner('late', blockOf(state, state.epoch + from))
  for (let epochs = 0; epochs < 100; epochs++) {
    const isThere = epochs >= from
    const miners = [...(minersIn(state) ?? []), ...(isThere ? [late] : [])]
    state = after(state, { miners, rates: TIED }).state
    if (listed(state).includes('late')) return epochs - from
  }
  throw new Error('it waits for ever')
}

/** Whoever has had a turn has committed again in its last epoch. */
const again = ({ lastPlayed }: State) =>
  stuffing.map((hotkey) => {
    const left = lastPlayed[hotkey]?.left ?? 0
    return miner(hotkey, left, `${left}`)
  })

test('a newcomer waits for those alone who wait longer, however often they commit', () => {
  const { duelsMost, duelEpochs } = PROTOCOL
  for (const from of [1, 5, 9, 20, 40]) {
    const wait = waitOf(from, again)
    expect(wait).toBeLessThanOrEqual(Math.ceil(stuffing.length / duelsMost) * duelEpochs)
    expect(wait).toBeGreaterThan(0)
  }
})

test('nor do fresh keys, eight an epoch, come before it: it is in the next list', () => {
  const fresh = (state: State) =>
    Array.from({ length: 8 * (state.epoch - 10) }, (_, i) => {
      const block = blockOf(state, 11 + Math.floor(i / 8)) + 1 + (i % 8)
      return { ...miner(`fresh ${i}`, block), registered: block }
    })
  expect(waitOf(1, fresh)).toBe(PROTOCOL.duelEpochs - 1)
})
