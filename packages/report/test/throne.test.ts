import { firstState, type State } from '@affine/duel'
import { expect, it } from 'vitest'
import {
  crownedFirst,
  epochOf,
  MAIN,
  miner,
  type Scene,
  startedDuels,
} from '../../duel/test/subnet.ts'
import { describeEpoch, formatEpoch, summariseEpoch } from '../src/index.ts'
import { settledBy } from './history.ts'

const settledIn = (before: State, scene: Scene) => settledBy(before, epochOf(before, scene))
const [first, crowned, begun] = [firstState(MAIN, 0), crownedFirst(), startedDuels()]
const CLOSE: Scene = { rates: [0.3, 0.3] }
const ALONE: Scene = { miners: [miner('m1', 1)] }

const CASES: readonly (readonly [what: string, before: State, scene: Scene])[] = [
  ['the first miner', first, {}],
  ['no miner', first, { miners: [] }],
  ['a contender', crowned, {}],
  ['no other miner', crowned, ALONE],
  ['a ratio that falls by less than is shown', { ...crowned, ratio: 510_010 }, ALONE],
  ['a ratio that falls', { ...crowned, ratio: 700_000 }, ALONE],
  ['a duel that continues', begun, CLOSE],
  ['a win', begun, { rates: [0.75, 0.25] }],
  ['no win', begun, { rates: [0, 1] }],
  ['too few that attest', begun, { silent: ['v3', 'v4'] }],
  ['two evictions during a duel', begun, { ...CLOSE, miners: [], unregistered: ['m1', 'm2'] }],
]

it('formats each epoch, and summarises it on one line', async () => {
  const texts = CASES.map(([what, before, scene]) => {
    const facts = describeEpoch(settledIn(before, scene))
    const text = formatEpoch(facts, String)
    expect(text.split('\n')[0]).toBe(summariseEpoch(facts, String))
    return `## ${what}\n${text}\n`
  })
  await expect(texts.join('\n')).toMatchFileSnapshot('snapshots/epochs.txt')
})

it('describes a contender that waits, and then another that beats it to the throne', async () => {
  const miners = ['m1', 'm2', 'm3'].map((hotkey, i) => miner(hotkey, i + 1))
  const scene: Scene = {
    miners,
    rates: (_, _env, contender) => (contender === 'm2' ? [0.75, 0.25] : [0.9, 0.1]),
  }
  let state = startedDuels({ miners })
  const epochs = Array.from({ length: 8 }, () => {
    const settled = settledIn(state, scene)
    state = settled.state
    return describeEpoch(settled)
  })
  expect(epochs[0]?.duels.at(-1)).toMatchObject({ standing: 'won', end: undefined })
  // An environment that is not evaluated any more has no cause.
  expect(epochs[1]?.duels.at(-1)?.analyses[0]).toMatchObject({ given: undefined, cause: undefined })
  expect(epochs.at(-1)?.duels.map(({ end }) => end)).toEqual(['passed', 'crowned'])
  const text = epochs.map((facts) => formatEpoch(facts, String)).join('\n\n')
  await expect(`${text}\n`).toMatchFileSnapshot('snapshots/two-winners.txt')
})
