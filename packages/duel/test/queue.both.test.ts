import { expect, test } from 'vitest'
import queues from '../../../vectors/duel/queue.json' with { type: 'json' }
import { type Candidate, contentOf, firstState, nextContenders, type Turns } from '../src/index.ts'
import { epochOf, MAIN, miner } from './subnet.ts'

test('three hundred queues, as a second implementation orders them', () => {
  const { snapshot } = epochOf(firstState(MAIN, 10))
  const ordered = queues.vectors.map(({ miners, turns, registered: hotkeys }) => {
    const candidates = (miners as [string, string, number, number][]).map(
      ([hotkey, revision, block, registered]): Candidate => ({
        ...miner(hotkey, block, revision),
        registered,
      }),
    )
    const had = Object.entries(turns as unknown as Record<string, [number, number, string]>).map(
      ([hotkey, [registered, duels, revision]]): [string, Turns] => [
        hotkey,
        { registered, duels, content: contentOf(miner(hotkey, 0, revision)) },
      ],
    )
    const seen = { ...snapshot, hotkeys, miners: candidates }
    return nextContenders({ dueled: Object.fromEntries(had) }, seen).map(({ hotkey }) => hotkey)
  })
  expect(ordered).toEqual(queues.vectors.map(({ want }) => want))
})
