import { expect, test } from 'vitest'
import queues from '../../../vectors/duel/queue.json' with { type: 'json' }
import {
  type Candidate,
  type DuelSnapshot,
  digestContent,
  type LastPlayed,
  orderQueue,
} from '../src/index.ts'
import { crownedFirst, epochOf, miner } from './subnet.ts'

const { snapshot } = epochOf(crownedFirst())
const orderOf = (turns: Parameters<typeof orderQueue>[0], seen: Partial<DuelSnapshot>) =>
  orderQueue(turns, { ...snapshot, ...seen }).map(({ hotkey }) => hotkey)
const NOBODY = { duels: [], lastPlayed: {} }

test('three hundred queues have the order of a second implementation', () => {
  const ordered = queues.vectors.map(({ miners, lastPlayed, champion, listed, registered }) => {
    const candidates = (miners as [string, string, number, number][]).map(
      ([hotkey, revision, block, at]): Candidate => ({
        ...miner(hotkey, block, revision),
        registered: at,
      }),
    )
    const played = (lastPlayed as [string, string, number | null][]).map(
      ([hotkey, revision, left]): [string, LastPlayed] => {
        const content = digestContent(miner(hotkey, 0, revision))
        return [hotkey, { content, ...(left !== null && { left }) }]
      },
    )
    const duels = (listed as string[]).map((hotkey) => ({
      contender: miner(hotkey),
      start: 1,
      frozen: 0,
      tallies: [],
      verdicts: {},
    }))
    const turns = { duels, lastPlayed: Object.fromEntries(played) }
    const seated = champion === null ? turns : { ...turns, champion: miner(champion) }
    return orderOf(seated, { hotkeys: registered, miners: candidates })
  })
  expect(ordered).toEqual(queues.vectors.map(({ want }) => want))
})

test('miners that wait equally long are sorted by the code units of their hotkeys', () => {
  const miners = ['b', 'a', 'B'].map((hotkey) => miner(hotkey, 5))
  expect(orderOf(NOBODY, { miners, hotkeys: ['a', 'b', 'B'] })).toEqual(['B', 'a', 'b'])
})

test('a miner with a lone surrogate in its commitment is omitted', () => {
  const odd = { ...miner('m1'), model: '\ud800' }
  expect(orderOf(NOBODY, { miners: [odd, miner('m2')] })).toEqual(['m2'])
  const halves = { ...miner('m1'), model: '\ud800', revision: '\udc00' }
  expect(orderOf(NOBODY, { miners: [halves] })).toEqual([])
})
