import { registry } from '@affine/envs'
import { digest, pcg64 } from '@affine/prng'

/**
 * A player for experiments. Its skill is the share of replies, 0 to 1, that the scripted player
 * `solve` would give; the other replies are random. Two players with the same seed and skill always
 * give the same answers.
 */
export type ReferencePlayer = { readonly skill: number; readonly seed: string }

/** Returns the reply to a prompt of any registered environment. */
export function playerReply(prompt: string, { skill, seed }: ReferencePlayer): string {
  const random = pcg64(BigInt(`0x${digest('player', seed, prompt).slice(0, 32)}`))
  for (const spec of registry.values()) {
    try {
      const perfect = spec.solve(prompt)
      return random.random() < skill ? perfect : spec.guess(prompt, random)
    } catch {} // the prompt is of another environment
  }
  return 'I do not know this game.'
}
