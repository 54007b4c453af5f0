import { describe, expect, it } from 'vitest'
import { decide, type State } from '../src/index.ts'
import { epochOf, MULT8, type Scene, startedDuels, TICTACTOE } from './subnet.ts'

const after = (state: State, scene?: Scene) => decide(state, epochOf(state, scene)).state
/** m1 has the throne, m2 its first epoch against it. */
const started = startedDuels()
const WON: Scene = { rates: [0.8125, 0.1875] }
const LOST: Scene = { rates: [0, 1] }
const earning = (contender: number, champion: number): Pick<Scene, 'points'> => ({
  points: () => [contender, champion],
})
const both = (ppm: number) => ({ [MULT8]: ppm, [TICTACTOE]: ppm })
const known = (ppm: number): State => ({ ...started, record: both(ppm) })

describe('the record of the throne', () => {
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

  it('has what the champion earned in a duel that was lost against it, where that is more', () => {
    expect(after(known(600_000), { ...LOST, ...earning(0, 0.7) }).record).toEqual(both(700_000))
    expect(after(known(600_000), { ...LOST, ...earning(0, 0.5) }).record).toEqual(both(600_000))
    expect(after(started, { ...LOST, ...earning(0, 0.5) }).record).toEqual(both(500_000))
  })
})

describe('the ratio rises', () => {
  const dethroned = (from: State, contender: number, champion: number) =>
    after(from, { ...WON, ...earning(contender, champion) }).ratio

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
})
