import { PROTOCOL } from '@affine/duel'
import { pcg64 } from '@affine/prng'
import { evaluate } from '@affine/wilson'
import { describe, expect, it } from 'vitest'
import { estimateProspects } from '../src/prospects.ts'

const ENV = 'mult8@0.1.0'
/** Challenges of a lane in a whole duel: 32, 64, 128, 256, and four times 512. */
const LANE = 2528
const RATIO_PPM = 510_000

/**
 * Returns a practice of 1,000 challenges with a share of ties and a share of wins among the rest.
 */
function practice(tied: number, won: number) {
  const decisive = Math.round(1000 * (1 - tied))
  const wins = Math.round(decisive * won)
  return Array.from({ length: 1000 }, (_, i) => {
    if (i >= decisive) return { env: ENV, reward: 1, champion: 1 }
    return { env: ENV, reward: i < wins ? 1 : 0, champion: i < wins ? 0 : 1 }
  })
}

/** Simulates duels with one lane, challenge by challenge, and returns the share of wins. */
function playedShare(tied: number, won: number, z: number): number {
  const random = pcg64(7)
  const rule = { ...PROTOCOL, zSquaredPpm: Math.round(z * z * 1e6) }
  const duels = 600
  let count = 0
  for (let duel = 0; duel < duels; duel++) {
    let [wins, trials] = [0, 0]
    for (let challenge = 0; challenge < LANE; challenge++) {
      if (random.random() < tied) continue
      trials += 1
      if (random.random() < won) wins += 1
      const result = evaluate({ wins, trials, ratioPpm: RATIO_PPM, rule })
      if (result === 'win') count += 1
      if (result !== 'continue') break
    }
  }
  return count / duels
}

/** The protocol with one environment, which decides alone: z is 3.5 + 0.4. */
const SOLE = { ...PROTOCOL, envs: { [ENV]: PROTOCOL.envs[ENV]! } }

describe('the estimated probability', () => {
  it('equals the share of simulated wins, within three standard errors', () => {
    const [tied, won] = [0.79, 0.6]
    const { envs } = estimateProspects(practice(tied, won), { protocol: SOLE, ratioPpm: RATIO_PPM })
    // Three standard errors of 600 duels are at most .062.
    expect(Math.abs((envs[0]?.win.middle ?? 0) - playedShare(tied, won, 3.9))).toBeLessThan(0.062)
  })

  it('is 0 if a whole duel has fewer decisive challenges than a win needs', () => {
    const protocol = { ...SOLE, evenPpm: 0 }
    const { dethrones } = estimateProspects(practice(0.997, 1), { protocol, ratioPpm: RATIO_PPM })
    expect(dethrones).toEqual({ lower: 0, middle: 0, upper: 0 })
  })
})
