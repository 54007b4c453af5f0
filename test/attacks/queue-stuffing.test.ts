/*
 * One owner's keys commit again whenever they have played, to keep others waiting. Protocol §8.11:
 * one turn is for the registration that has had the fewest, the next for the longest wait.
 */
import { expect, test } from 'vitest'
import { decide, nextContenders, type State } from '../../packages/duel/src/index.ts'
import { epochOf, miner } from '../../packages/duel/test/subnet.ts'
import { FIRST } from './deciding.ts'

const stuffing = ['s1', 's2', 's3', 's4', 's5']
const LATE = 6

/** The miners in the epoch that `state` governs: who has had a turn commits again at once. */
function minersIn({ epoch, dueled }: State) {
  const stuffers = stuffing.map((hotkey) => {
    const again = dueled[hotkey]?.duels ?? 0
    return miner(hotkey, again, `revision ${again}`)
  })
  const isThere = epoch - FIRST.epoch >= LATE
  return [miner('m1', 0), ...stuffers, ...(isThere ? [miner('late', 1000)] : [])]
}

test('whoever never played is next, or next but one, however often others have committed', () => {
  const contenders: (string | undefined)[] = []
  let state = FIRST
  while (state.champion?.hotkey !== 'late' && contenders.length < 20) {
    const isLate = state.duel?.contender.hotkey === 'late'
    const rates = isLate ? ([1, 0] as const) : ([0, 1] as const)
    const facts = epochOf(state, { miners: minersIn(state), rates })
    const queue = nextContenders(state, facts.snapshot)
    state = decide(state, facts).state
    if (state.duel) contenders.push(state.duel.contender.hotkey)
    // They do wait, with commitments that are older than the newcomer's.
    if (contenders.at(-1) === 'late') expect(queue.map(({ hotkey }) => hotkey)).toContain('s1')
  }
  expect(state.champion?.hotkey).toBe('late')
  expect(contenders.slice(0, LATE + 1)).toEqual([...stuffing, 's1', 'late'])
})
