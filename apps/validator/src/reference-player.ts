import { registry } from '@affine/envs'
import { digest, pcg64 } from '@affine/prng'

/** A player for trying things out: how often it plays perfectly, and the seed of its luck. */
export interface Player {
  /** The share of replies, 0 to 1, that a perfect player would have given; the others are drawn at random. */
  readonly skill: number
  /** Two players with one seed and one skill answer alike, always. */
  readonly seed: string
}

/** What the player replies to a prompt: a function of the two alone. */
export function playerReply(prompt: string, { skill, seed }: Player): string {
  const random = pcg64(BigInt(`0x${digest('player', seed, prompt).slice(0, 32)}`))
  for (const spec of registry.values()) {
    try {
      const perfect = spec.solve(prompt)
      return random.random() < skill ? perfect : spec.format(spec.actionSpace.sample(random))
    } catch {} // another environment's prompt
  }
  return 'I do not know this game.'
}
