import { expect, it } from 'vitest'
import decays from '../../../vectors/duel/decay.json' with { type: 'json' }
import ratchets from '../../../vectors/duel/ratchet.json' with { type: 'json' }
import trusts from '../../../vectors/duel/trust.json' with { type: 'json' }
import { computeTrust, decay, PROTOCOL, ratchet, type WonEnv } from '../src/index.ts'

const revive = (won: (typeof ratchets.vectors)[number]['input'][number]): WonEnv => {
  const { contender, champion, ...counts } = won
  const [wins, trials, unit] = [BigInt(counts.wins), BigInt(counts.trials), BigInt(counts.unit)]
  return { tally: { wins, trials, unit }, contender, champion }
}
const open = { ...PROTOCOL, ratioFloorPpm: 1, ratioCeilingPpm: 999_999 }

it.each(ratchets.vectors)('returns the ratio after a ratchet: $what', ({ input, bounds, want }) => {
  expect(ratchet(input.map(revive), PROTOCOL)).toBe(want)
  for (const [i, bound] of bounds.entries()) {
    expect(ratchet(input.slice(i, i + 1).map(revive), open)).toBe(Math.max(bound, 1))
  }
})

it.each(decays.vectors)('returns the ratio after a decay: $what', ({ input, want }) => {
  const run: number[] = []
  for (let ratio = input; run.length < (Array.isArray(want) ? want.length : 1); run.push(ratio)) {
    ratio = decay(ratio, PROTOCOL)
  }
  expect(run).toEqual([want].flat())
})

it.each(trusts.vectors)('computes trust: $what', ({ input, want }) => {
  expect(computeTrust(input)).toBe(want)
})
