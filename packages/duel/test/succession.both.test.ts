import { expect, test } from 'vitest'
import queues from '../../../vectors/duel/queue.json' with { type: 'json' }
import { type Candidate, contentOf, firstState, nextContenders, type Turns } from '../src/index.ts'
import { epochOf, MAIN, miner } from './subnet.ts'

test('three hundred queues, as a second implementation orders them', () => {
  const { snapshot } = epochOf(firstState(MAIN, 10))
  const ordered = queues.vectors.map(({ miners, had, turns, registered: hotkeys }) => {
    const candidates = (miners as [string, string, number, number][]).map(
      ([hotkey, revision, block, registered]): Candidate => ({
        ...miner(hotkey, block, revision),
        registered,
      }),
    )
    const dueled = (had as [string, number, number, number, string | null][]).map(
      ([hotkey, registered, duels, ended, revision]): [string, Turns] => {
        const content = revision === null ? {} : { content: contentOf(miner(hotkey, 0, revision)) }
        return [hotkey, { registered, duels, ended, ...content }]
      },
    )
    const seen = { ...snapshot, hotkeys, miners: candidates }
    const waiting = nextContenders({ dueled: Object.fromEntries(dueled), turns }, seen)
    return waiting.map(({ hotkey }) => hotkey)
  })
  expect(ordered).toEqual(queues.vectors.map(({ want }) => want))
})
