import { expect, it, test } from 'vitest'
import { computeQuotas, decide, type LaneTally } from '../src/index.ts'
import { epochOf, MULT8, miner, startedDuels, TICTACTOE } from './subnet.ts'

// In these tests the lane of one validator is void or has an impossible tally.

test('accepts no void lane, even if no challenges are due', () => {
  const started = startedDuels()
  const verdicts = { [MULT8]: 'win', [TICTACTOE]: 'win' } as const
  const tallies = Array.from({ length: 8 }, () => ({}))
  const duels = started.duels.map((duel) => ({ ...duel, start: 4, tallies, verdicts }))
  const over = { ...started, duels }
  const { lanes, ...facts } = epochOf(over)
  const { v2: _, ...others } = lanes
  const { report } = decide(over, { ...facts, lanes: others })
  const accepted = Object.values(report.lanes).map((lane) => lane.accepted)
  expect([computeQuotas(over), accepted]).toEqual([{ m2: {} }, [true, false, true, true]])
})

it.each<readonly [string, LaneTally]>([
  ['more decisive challenges than its quota', [17, 16, 0, 0]],
  ['a negative count', [-1, 16, 0, 0]],
  ['a fraction', [15.5, 16, 0, 0]],
  ['a fraction of a point', [16, 16, 0.5, 0]],
  ['more points than its quota allows', [16, 16, 0, 32_000_001]],
])('accepts no lane that has %s in an environment that is played', (_, tally) => {
  const miners = ['m1', 'm2', 'm3', 'm4'].map((hotkey, i) => miner(hotkey, i + 1))
  const three = startedDuels({ miners })
  const facts = epochOf(three, { miners })
  const laneWith = (changed: Record<string, LaneTally>) => {
    const { v2 = {} } = facts.lanes
    const lanes = { ...facts.lanes, v2: { ...v2, m3: { ...v2.m3, ...changed } } }
    return decide(three, { ...facts, lanes }).report.lanes.v2
  }
  expect(laneWith({ [MULT8]: tally })).toMatchObject({ attested: true, accepted: false })
  expect(laneWith({ other: tally })?.accepted).toBe(true)
})
