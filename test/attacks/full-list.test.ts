/*
 * A list full of contenders that cannot win delays other miners. Protocol §8.6, §8.7: an
 * environment without a decisive challenge in 96 is undecided, and after eight epochs every duel
 * has ended. Of two contenders that win in the same epoch, the better is crowned.
 */
import { describe, expect, it, test } from 'vitest'
import type { Report, State } from '../../packages/duel/src/index.ts'
import { epochOf, miner, type Scene, startedDuels } from '../../packages/duel/test/subnet.ts'
import { pcg64 } from '../../packages/prng/src/index.ts'
import { after, contendersIn, drawRates, type LaneRates, playOut } from './deciding.ts'

const eight = Array.from({ length: 8 }, (_, i) => miner(`m${i}`, i + 1))
const next = Array.from({ length: 8 }, (_, i) => miner(`n${i}`, i + 9))
const miners = [miner('king'), ...eight]

/**
 * Returns the number of epochs that eight duels take. Checks that all lose, and the next eight
 * have begun.
 */
function epochsOf(ratesIn: (state: State) => LaneRates): number {
  const started = startedDuels({ miners })
  expect(contendersIn(started)).toHaveLength(8)
  const { state, epochs } = playOut(started, (state) =>
    epochOf(state, { miners: [...miners, ...next], rates: ratesIn(state) }),
  )
  expect(state.champion?.hotkey).toBe('king')
  for (const { hotkey } of next) expect(Object.keys(state.lastPlayed)).toContain(hotkey)
  for (const hotkey of contendersIn(state)) expect(hotkey).toMatch(/^n/)
  return epochs.length
}

describe('eight contenders', () => {
  it('that are near-copies lose by the eighth epoch', () => {
    const random = pcg64(45n)
    const near = (hotkey: string) => 0.45 + (Number(hotkey.slice(1)) % 7) / 100
    const epochs = epochsOf(
      (state) =>
        (...lane) =>
          drawRates(random, state, near(lane[2]))(...lane),
    )
    expect(epochs).toBeLessThanOrEqual(8)
  })

  it.each([
    ['never reply', 1, [0, 0.7]],
    ['tie every challenge', 2, [0, 0]],
    ['are hard to tell from the champion', 7, [0.0315, 0.0285]],
  ] as const)('that %s lose in epoch %i', (_, epochs, rates) => {
    expect(epochsOf(() => () => rates)).toBe(epochs)
  })
})

test('crowns in the eighth epoch the better of two contenders that win in the same epoch', () => {
  let state = startedDuels({ miners })
  const scene: Scene = {
    miners: next,
    rates: (_, _env, contender) => {
      if (contender === 'm3') return [0.8, 0.2]
      return contender === 'm5' ? [0.9, 0.1] : [0.2, 0.8]
    },
  }
  const reports: Report[] = []
  for (let epoch = 1; epoch <= 8; epoch++) {
    const decided = after(state, scene)
    if (epoch < 8) expect(contendersIn(decided.state)).toEqual(['m3', 'm5'])
    reports.push(decided.report)
    state = decided.state
  }
  expect(reports[0]?.duels.filter(({ standing }) => standing === 'won')).toHaveLength(2)
  expect(reports.map(({ crowned }) => crowned)).toEqual([...Array(7).fill(undefined), 'm5'])
  expect([state.champion?.hotkey, contendersIn(state)]).toEqual([
    'm5',
    next.map(({ hotkey }) => hotkey),
  ])
})
