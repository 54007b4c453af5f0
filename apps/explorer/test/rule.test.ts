import { LOCAL as LOCAL_PROTOCOL } from '@affine/duel'
import { lookAt } from '@affine/wilson'
import { describe, expect, it } from 'vitest'
import { ruleAccount } from '../src/worker/rule.ts'

const MAIN = { p: 0.55, ratioPpm: 510_000, alpha: 0.05, cap: 5000 }
const LOCAL = { ...MAIN, cap: 500 }

describe('the rule', () => {
  it('is the protocol’s, with its z, and the naive one fails more often', () => {
    const { calibrated, naive } = ruleAccount(MAIN)
    expect(calibrated.z).toBe(2.85)
    expect(calibrated.win).toBeCloseTo(0.982, 3)
    expect(calibrated.medianTrials).toBe(881)
    expect(calibrated.falseWin).toBeLessThan(0.05)
    expect(naive.falseWin).toBeCloseTo(0.4579, 3)
    expect(ruleAccount(LOCAL).calibrated.z).toBe(2.67)
  })

  it('has lines on which a look comes to what they are of', () => {
    const { winLine, holdLine, calibrated } = ruleAccount(LOCAL)
    const zSquaredPpm = BigInt(Math.round(calibrated.z ** 2 * 1e6))
    const { holdOffset, holdSlopePpm } = LOCAL_PROTOCOL
    const rule = { cap: LOCAL.cap, minTrials: 10, zSquaredPpm, holdOffset, holdSlopePpm }
    const look = (wins: number, trials: number) =>
      lookAt({ wins, trials, ratioPpm: LOCAL.ratioPpm, rule })
    for (const [n, share] of winLine) {
      const wins = Math.round(n * share)
      expect(look(wins, n)).toBe('win')
      expect(look(wins - 1, n)).not.toBe('win')
    }
    for (const [n, share] of holdLine) expect(look(Math.round(n * share), n)).toBe('hold')
    expect(winLine.length).toBeGreaterThan(50)
  })

  it('has classes that hold every ending', () => {
    const { wins, holds, calibrated } = ruleAccount(LOCAL)
    const sum = (points: typeof wins) => points.reduce((so, [, share]) => so + share, 0)
    expect(sum(wins)).toBeCloseTo(calibrated.win, 9)
    expect(sum(wins) + sum(holds)).toBeCloseTo(1, 9)
    expect(wins.at(-1)?.[0]).toBe(LOCAL.cap)
  })

  it('refuses what is no rule', () => {
    expect(() => ruleAccount({ ...MAIN, alpha: 0 })).toThrow(RangeError)
    expect(() => ruleAccount({ ...MAIN, p: 2 })).toThrow(RangeError)
  })
})
