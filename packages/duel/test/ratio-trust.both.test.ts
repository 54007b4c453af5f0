import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import decays from '../../../vectors/duel/decay.json' with { type: 'json' }
import ratchets from '../../../vectors/duel/ratchet.json' with { type: 'json' }
import trusts from '../../../vectors/duel/trust.json' with { type: 'json' }
import { computeTrust, decay, PROTOCOL, ratchet, type Trust, type WonEnv } from '../src/index.ts'
import { updateRecord } from '../src/voters.ts'

describe('ratchet', () => {
  const revive = (won: (typeof ratchets.vectors)[number]['input'][number]): WonEnv => {
    const { contender, champion, ...counts } = won
    const [wins, trials, unit] = [BigInt(counts.wins), BigInt(counts.trials), BigInt(counts.unit)]
    return { tally: { wins, trials, unit }, contender, champion }
  }
  const open = { ...PROTOCOL, ratioFloorPpm: 1, ratioCeilingPpm: 999_999 }

  it.each(ratchets.vectors)('$what', ({ input, bounds, want }) => {
    expect(ratchet(input.map(revive), PROTOCOL)).toBe(want)
    for (const [i, bound] of bounds.entries()) {
      expect(ratchet(input.slice(i, i + 1).map(revive), open)).toBe(Math.max(bound, 1))
    }
  })

  const won = fc
    .tuple(fc.nat(300), fc.nat(300), fc.nat(1_000_000), fc.nat(1_000_000))
    .map(([wins, losses, contender, champion]): WonEnv => {
      const tally = { wins: BigInt(wins), trials: BigInt(wins + losses), unit: 1n }
      return { tally, contender, champion }
    })

  it('is an integer root: of equal bounds the bound, never outside the bounds', () => {
    fc.assert(
      fc.property(fc.array(won, { minLength: 1, maxLength: 5 }), (all) => {
        const each = all.map((one) => ratchet([one], open))
        const mean = ratchet(all, open)
        expect(mean).toBeGreaterThanOrEqual(Math.min(...each) - 1) // a bound of 0 shows as 1
        expect(mean).toBeLessThanOrEqual(Math.max(...each))
        const [first] = all
        if (first)
          expect(
            ratchet(
              all.map(() => first),
              open,
            ),
          ).toBe(each[0])
        expect(ratchet([...all].reverse(), open)).toBe(mean)
      }),
    )
  })

  it('rises no further if the champion earns more, or the contender less', () => {
    fc.assert(
      fc.property(won, fc.nat(1_000_000), fc.nat(1_000_000), (one, more, less) => {
        const better = { ...one, champion: Math.min(1_000_000, one.champion + more) }
        const worse = { ...one, contender: Math.max(0, one.contender - less) }
        expect(ratchet([better], open)).toBeLessThanOrEqual(ratchet([one], open))
        expect(ratchet([worse], open)).toBeLessThanOrEqual(ratchet([one], open))
      }),
    )
  })
})

describe('decay', () => {
  it.each(decays.vectors)('$what', ({ input, want }) => {
    const run: number[] = []
    for (let ratio = input; run.length < (Array.isArray(want) ? want.length : 1); run.push(ratio)) {
      ratio = decay(ratio, PROTOCOL)
    }
    expect(run).toEqual([want].flat())
  })

  it('never falls below the floor, also after a rise', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 999_999 }), (ratio) => {
        expect(decay(ratio, PROTOCOL)).toBeGreaterThanOrEqual(PROTOCOL.ratioFloorPpm)
        expect(decay(ratio, PROTOCOL)).toBeLessThanOrEqual(Math.max(ratio, PROTOCOL.ratioFloorPpm))
      }),
    )
  })
})

describe('trust', () => {
  it.each(trusts.vectors)('$what', ({ input, want }) => expect(computeTrust(input)).toBe(want))

  test('is one half without a record', () => expect(computeTrust(undefined)).toBe(500_000))

  test('fades by a sixteenth, rounded down, before the epoch counts', () => {
    expect(updateRecord(undefined, { correct: 2, incorrect: 0 }, PROTOCOL)).toEqual({
      correct: 2_000_000,
      incorrect: 0,
    })
    const before = { correct: 1_000_001, incorrect: 17 }
    const after = updateRecord(before, { correct: 1, incorrect: 1 }, PROTOCOL)
    expect(after).toEqual({ correct: 1_937_500, incorrect: 1_000_015 })
  })

  test('remembers at most sixteen lanes an environment', () => {
    const one = { correct: 1, incorrect: 0 }
    let record: Trust = { correct: 0, incorrect: 0 }
    for (let epoch = 0; epoch < 500; epoch++) record = updateRecord(record, one, PROTOCOL)
    expect(record.correct).toBeGreaterThan(15_999_000)
    expect(record.correct).toBeLessThanOrEqual(16_000_000)
    expect(computeTrust(record)).toBe(944_444)
  })
})
