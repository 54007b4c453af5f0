import { describe, expect, it } from 'vitest'
import { decide, type State } from '../src/index.ts'
import {
  crownedFirst,
  epochOf,
  MULT8,
  miner,
  type Scene,
  startedDuels,
  TICTACTOE,
} from './subnet.ts'

const after = (state: State, scene?: Scene) => decide(state, epochOf(state, scene)).state
/** m1 has the throne, m2 its first epoch against it. */
const started = startedDuels()
const WON: Scene = { rates: [0.8125, 0.1875] }
const LOST: Scene = { rates: [0, 1] }
const OPEN: Scene = { rates: [0.5625, 0.4375] }
const earning = (contender: number, champion: number): Pick<Scene, 'points'> => ({
  points: () => [contender, champion],
})
const both = (ppm: number) => ({ [MULT8]: ppm, [TICTACTOE]: ppm })
const known = (ppm: number): State => ({ ...started, record: both(ppm) })

describe('the record of the throne', () => {
  it('is none on a network’s first', () => {
    expect([started.champion?.hotkey, started.record]).toEqual(['m1', {}])
    const empty = crownedFirst({ miners: [] })
    const filled = after({ ...empty, record: both(900_000) })
    expect([filled.champion?.hotkey, filled.record]).toEqual(['m1', both(900_000)])
  })

  it('has what a crowned contender earned in its duel, closed environments included', () => {
    const later = after(started, {
      rates: (_, env) => (env === MULT8 ? [0.8125, 0.1875] : [0.5625, 0.4375]),
      points: (_, env) => (env === MULT8 ? [0.9, 0.3] : [0.5, 0.5]),
    })
    expect([later.duels[0]?.verdicts, later.record]).toEqual([{ [MULT8]: 'win' }, {}])
    const crowned = after(later, { ...WON, ...earning(0.875, 0.25) })
    expect(crowned.champion?.hotkey).toBe('m2')
    // 0.5 of 32 challenges and 0.875 of 64 are 0.75 of 96.
    expect(crowned.record).toEqual({ [MULT8]: 900_000, [TICTACTOE]: 750_000 })
  })

  it('is never lowered, by whoever is crowned', () => {
    expect(after(known(900_000), { ...WON, ...earning(0.8, 0) }).record).toEqual(both(900_000))
    const other = { ...started, record: { other: 1 } }
    expect(after(other, { ...WON, ...earning(0.8, 0) }).record).toEqual({
      ...both(800_000),
      other: 1,
    })
  })

  it('is the median lane’s: the lower of two, by weight, rounded down', () => {
    const shares = { v1: 0.5, v2: 0.6, v3: 0.7, v4: 0.8 } as Record<string, number>
    const points: Scene['points'] = (validator) => [shares[validator] ?? 0, 0.1]
    expect(after(started, { ...WON, points }).record).toEqual(both(600_000))
    const voters = { v1: 300_000, v2: 300_000, v3: 300_000, v4: 1_000_000 }
    expect(after({ ...started, voters }, { ...WON, points }).record).toEqual(both(800_000))
    expect(after(started, { ...WON, ...earning(1 / 3, 0.1) }).record).toEqual(both(333_333))
  })

  it('has what the champion earned in a duel that was lost against it, where that is more', () => {
    expect(after(known(600_000), { ...LOST, ...earning(0, 0.7) }).record).toEqual(both(700_000))
    expect(after(known(600_000), { ...LOST, ...earning(0, 0.5) }).record).toEqual(both(600_000))
    expect(after(started, { ...LOST, ...earning(0, 0.5) }).record).toEqual(both(500_000))
  })

  it('has the best of several duels that are lost in one epoch', () => {
    const miners = ['m1', 'm2', 'm3'].map((hotkey, i) => miner(hotkey, i + 1))
    const two = startedDuels({ miners })
    const points: Scene['points'] = (_, env, contender) =>
      (env === MULT8) === (contender === 'm2') ? [0, 0.8] : [0, 0.6]
    expect(after(two, { ...LOST, miners, points }).record).toEqual(both(800_000))
  })

  it('stays while a duel goes on, and without one', () => {
    expect(after(known(600_000), { ...OPEN, ...earning(0.9, 0.9) }).record).toEqual(both(600_000))
    const alone = after(known(600_000), { ...LOST, ...earning(0, 0) })
    expect(alone.duels).toEqual([])
    expect(after(alone).record).toEqual(both(600_000))
  })
})

describe('the ratio rises', () => {
  const dethroned = (from: State, contender: number, champion: number) =>
    after(from, { ...WON, ...earning(contender, champion) }).ratio

  it('as far as its tally says, over a champion that earned nothing and has no record', () => {
    expect(dethroned(started, 1, 0)).toBe(733_795)
    expect(dethroned(known(0), 0.9, 0)).toBe(733_795)
  })

  it('no further than the record supports, whatever the champion earned in this duel', () => {
    // 0.8 · 0.4 to 0.6 · 0.2
    expect(dethroned(known(600_000), 0.8, 0)).toBe(727_272)
    expect(dethroned(known(800_000), 0.8, 0)).toBe(510_000)
    expect(dethroned(known(900_000), 0.8, 0)).toBe(510_000)
  })

  it('no further than this duel supports, where the champion earned more than it was known for', () => {
    expect(dethroned(known(100_000), 0.8, 0.6)).toBe(727_272)
    expect(dethroned(started, 0.8, 0.6)).toBe(727_272)
  })

  it('by each environment’s own record', () => {
    const record = { [MULT8]: 600_000, [TICTACTOE]: 800_000 }
    // The root of 727272 · 500000.
    expect(dethroned({ ...started, record }, 0.8, 0)).toBe(603_022)
  })

  it('by the record that the champion earned in a duel lost in the same epoch', () => {
    const miners = ['m1', 'm2', 'm3'].map((hotkey, i) => miner(hotkey, i + 1))
    const two = startedDuels({ miners })
    const { state, report } = decide(
      two,
      epochOf(two, {
        miners,
        rates: (_, _env, contender) => (contender === 'm2' ? [0.8125, 0.1875] : [0, 1]),
        points: (_, _env, contender) => (contender === 'm2' ? [0.8, 0] : [0, 0.6]),
      }),
    )
    expect([report.crowned, state.ratio]).toEqual(['m2', 727_272])
  })
})
