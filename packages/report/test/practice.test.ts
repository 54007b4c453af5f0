import { PROTOCOL } from '@affine/duel'
import { make } from '@affine/envs'
import { pcg64 } from '@affine/prng'
import { evaluate } from '@affine/wilson'
import { describe, expect, it } from 'vitest'
import { estimateProspects, formatPractice, summarisePractice } from '../src/index.ts'

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

/** Simulates 300 duels with one lane, challenge by challenge, and returns the share of wins. */
function playedShare(tied: number, won: number): number {
  const random = pcg64(7)
  // In the only environment z is 3.5, and the score subtracts 0.4 for the lane: 3.9 in total.
  const rule = { ...PROTOCOL, zSquaredPpm: 15_210_000 }
  let count = 0
  for (let duel = 0; duel < 300; duel++) {
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
  return count / 300
}

/** The protocol with one environment, which decides alone. */
const SOLE = { ...PROTOCOL, envs: { [ENV]: PROTOCOL.envs[ENV]! } }

describe('the estimated probability', () => {
  it('equals the share of simulated wins, within three standard errors', () => {
    const [tied, won] = [0.79, 0.6]
    const { envs } = estimateProspects(practice(tied, won), { protocol: SOLE, ratioPpm: RATIO_PPM })
    // Three standard errors of 300 duels are at most .087.
    expect(Math.abs((envs[0]?.win.middle ?? 0) - playedShare(tied, won))).toBeLessThan(0.087)
  })

  it('is 0 if a whole duel has fewer decisive challenges than a win needs', () => {
    const protocol = { ...SOLE, evenPpm: 0 }
    const { dethrones } = estimateProspects(practice(0.997, 1), { protocol, ratioPpm: RATIO_PPM })
    expect(dethrones).toEqual({ lower: 0, middle: 0, upper: 0 })
  })
})

const textOf = (rewards: readonly number[], env = 'pack@0.1.0'): string => {
  const played = rewards.map((reward) => ({ env, challengeId: 'c', messages: [], reward, best: 9 }))
  return formatPractice(summarisePractice(env, played), make(env).spec)
}

it('lists up to five rewards, summarises more, and never calls a packing perfect', async () => {
  const [few, many, perfect] = [
    [0, 9, 9, 4],
    [3, 1, 9, 4, 9, 5, 2, 6],
    [3, 9, 9],
  ] as const
  const texts = [textOf(few), textOf(many), textOf(perfect), textOf(perfect, ENV)]
  await expect(texts.map((text) => `${text}\n`).join('\n')).toMatchFileSnapshot(
    'snapshots/practice-result.txt',
  )
})
