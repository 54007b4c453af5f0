import { describe, expect, it } from 'vitest'
import { decide, firstState, type State } from '../src/index.ts'
import { epochOf, MAIN, MULT8, miner, type Scene, TICTACTOE } from './subnet.ts'

const after = (state: State, scene?: Scene) => decide(state, epochOf(state, scene)).state
const TWO = [miner('m1', 1), miner('m2', 2)]
/** m1 has the throne, m2 its first epoch against it. */
const started = after(firstState(MAIN, 10))
const WON: Scene = { rates: [0.8125, 0.1875] }
const LOST: Scene = { rates: [0, 1] }
const OPEN: Scene = { rates: [0.5625, 0.4375] }
const earning = (contender: number, champion: number): Pick<Scene, 'points'> => ({
  points: () => [contender, champion],
})
const both = (ppm: number) => ({ [MULT8]: ppm, [TICTACTOE]: ppm })
const known = (ppm: number): State => ({ ...started, record: both(ppm) })

describe('the record of a champion', () => {
  it('is none on a network’s first seat', () => {
    expect(started.champion?.hotkey).toBe('m1')
    expect(started.record).toEqual({})
  })

  it('stays with a throne that is taken without a duel, or empty', () => {
    const taken = after(known(900_000), { miners: [miner('m3', 3)] })
    expect([taken.champion?.hotkey, taken.record]).toEqual(['m3', both(900_000)])
    const empty = after(known(900_000), { miners: [] })
    expect([empty.champion, empty.record]).toEqual([undefined, both(900_000)])
    const later = after(empty, { miners: [miner('m3', 3)] })
    expect([later.champion?.hotkey, later.record]).toEqual(['m3', both(900_000)])
  })

  it('stays with a throne whose new champion won by its verdicts, and left', () => {
    const left = { ...WON, ...earning(0.5, 0.5), miners: [miner('m1', 1), miner('m3', 3)] }
    const taken = after(known(900_000), left)
    expect([taken.champion?.hotkey, taken.record]).toEqual(['m3', both(900_000)])
  })

  it('is what it earned in the duel that crowned it, closed environments included', () => {
    const later = after(started, {
      rates: (_, env) => (env === MULT8 ? [0.8125, 0.1875] : [0.5625, 0.4375]),
      points: (_, env) => (env === MULT8 ? [0.9, 0.3] : [0.5, 0.5]),
    })
    expect(later.duel?.verdicts).toEqual({ [MULT8]: 'win' })
    expect(later.record).toEqual({})
    const crowned = after(later, { ...WON, ...earning(0.875, 0.25) })
    expect(crowned.champion?.hotkey).toBe('m2')
    // 0.5 of 32 challenges and 0.875 of 64 are 0.75 of 96.
    expect(crowned.record).toEqual({ [MULT8]: 900_000, [TICTACTOE]: 750_000 })
  })

  it('is the median lane’s: the lower of two, by weight, rounded down', () => {
    const shares = { v1: 0.5, v2: 0.6, v3: 0.7, v4: 0.8 } as Record<string, number>
    const points: Scene['points'] = (validator) => [shares[validator] ?? 0, 0.1]
    expect(after(started, { ...WON, points }).record).toEqual(both(600_000))
    const weights = { v1: 300_000, v2: 300_000, v3: 300_000, v4: 1_000_000 }
    const heavy = { ...started, duel: { ...started.duel!, weights } }
    expect(after(heavy, { ...WON, points }).record).toEqual(both(800_000))
    const third = after(started, { ...WON, ...earning(1 / 3, 0.1) }).record
    expect(third).toEqual(both(333_333))
  })

  it('is the best of the duels that it survived', () => {
    expect(after(known(600_000), { ...LOST, ...earning(0, 0.7) }).record).toEqual(both(700_000))
    expect(after(known(600_000), { ...LOST, ...earning(0, 0.5) }).record).toEqual(both(600_000))
    expect(after(started, { ...LOST, ...earning(0, 0.5) }).record).toEqual(both(500_000))
  })

  it('stays while a duel goes on, and without one', () => {
    expect(after(known(600_000), { ...OPEN, ...earning(0.9, 0.9) }).record).toEqual(both(600_000))
    const alone = after(known(600_000), { ...LOST, ...earning(0, 0), miners: TWO })
    expect(alone.duel).toBeUndefined()
    expect(after(alone).record).toEqual(both(600_000))
  })

  it('counts what was seen when one of the two leaves', () => {
    const contenderLeft = { ...OPEN, ...earning(0.9, 0.7), miners: [miner('m1', 1)] }
    expect(after(known(600_000), contenderLeft).record).toEqual(both(700_000))
    const championLeft = { ...OPEN, ...earning(0.9, 0.7), miners: [miner('m2', 2)] }
    const crowned = (record: number) => after(known(record), championLeft)
    expect([crowned(600_000).champion?.hotkey, crowned(600_000).record]).toEqual([
      'm2',
      both(900_000),
    ])
    expect(crowned(950_000).record).toEqual(both(950_000))
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
})
