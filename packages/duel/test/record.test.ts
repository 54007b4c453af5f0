import { boundsPpm } from '@affine/wilson'
import { describe, expect, it } from 'vitest'
import { decide, type State } from '../src/index.ts'
import { epochOf, MULT8, type Scene, startedDuels, TICTACTOE } from './subnet.ts'

const after = (state: State, scene?: Scene) => decide(state, epochOf(state, scene)).state
/** m1 is champion, and m2 is in its first epoch. */
const started = startedDuels()
const WON: Scene = { rates: [0.8125, 0.1875] }
const LOST: Scene = { rates: [0, 1] }
const earning = (contender: number, champion: number): Pick<Scene, 'points'> => ({
  points: () => [contender, champion],
})
/**
 * Returns a rate: the lower bound of a miner's share, here of the 32 challenges of a first epoch.
 */
const rateOf = (share: number, played = 32): number =>
  boundsPpm({ wins: share * played * 1e6, trials: played * 1e6, unit: 1_000_000n, ...Z }).lower
const Z = { zSquaredPpm: started.protocol.ratchetZSquaredPpm }
const both = (ppm: number) => ({ [MULT8]: ppm, [TICTACTOE]: ppm })
const known = (ppm: number): State => ({ ...started, record: both(ppm) })

describe('the champion’s record', () => {
  it('has the rates of a crowned contender in its duel, closed environments included', () => {
    const later = after(started, {
      rates: (_, env) => (env === MULT8 ? [0.8125, 0.1875] : [0.5625, 0.4375]),
      points: (_, env) => (env === MULT8 ? [0.9, 0.3] : [0.5, 0.5]),
    })
    expect([later.duels[0]?.verdicts, later.record]).toEqual([{ [MULT8]: 'win' }, {}])
    const crowned = after(later, { ...WON, ...earning(0.875, 0.25) })
    expect(crowned.champion?.hotkey).toBe('m2')
    // 0.5 of 32 challenges and 0.875 of 64 are 0.75 of 96.
    expect(crowned.record).toEqual({ [MULT8]: rateOf(0.9), [TICTACTOE]: rateOf(0.75, 96) })
  })

  it('is never lowered by a new champion', () => {
    expect(after(known(900_000), { ...WON, ...earning(0.8, 0) }).record).toEqual(both(900_000))
    const other = { ...started, record: { other: 1 } }
    expect(after(other, { ...WON, ...earning(0.8, 0) }).record).toEqual({
      ...both(rateOf(0.8)),
      other: 1,
    })
  })

  it('has the champion’s rate in a duel that it won, if higher', () => {
    expect(after(known(600_000), { ...LOST, ...earning(0, 0.9) }).record).toEqual(both(rateOf(0.9)))
    expect(after(known(600_000), { ...LOST, ...earning(0, 0.5) }).record).toEqual(both(600_000))
    expect(after(started, { ...LOST, ...earning(0, 0.5) }).record).toEqual(both(rateOf(0.5)))
  })
})

/**
 * Returns the expected share of the first miner in the challenges that one miner solves, in ppm.
 */
const supported = (a: number, b: number): number =>
  Math.floor((1e6 * a * (1e6 - b)) / (a * (1e6 - b) + b * (1e6 - a)))

describe('the ratio rises', () => {
  const dethroned = (from: State, contender: number, champion: number) =>
    after(from, { ...WON, ...earning(contender, champion) }).ratio

  it('no further than the record supports, even if the champion earned less in this duel', () => {
    expect(dethroned(known(600_000), 0.8, 0)).toBe(supported(rateOf(0.8), 600_000))
    expect(dethroned(known(800_000), 0.8, 0)).toBe(510_000)
    expect(dethroned(known(900_000), 0.8, 0)).toBe(510_000)
  })

  it('no further than this duel supports, if the champion earned more than its record', () => {
    const ratio = supported(rateOf(0.8), rateOf(0.6))
    expect(dethroned(known(100_000), 0.8, 0.6)).toBe(ratio)
    expect(dethroned(started, 0.8, 0.6)).toBe(ratio)
  })
})
