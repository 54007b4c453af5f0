import { registry } from '@affine/envs'
import { digest, pcg64 } from '@affine/prng'

/**
 * A player for trying things out. Its skill is the share of replies, 0 to 1, that a perfect player
 * would have given; the others are drawn at random. Two players with one seed and one skill answer
 * alike, always.
 */
export type ReferencePlayer = { readonly skill: number; readonly seed: string }

/** A reply, and what it was to: `env` is undefined where the prompt is of none. */
export interface ReferenceReply {
  readonly reply: string
  readonly env: string | undefined
  /** Would a perfect player have given it? */
  readonly isPerfect: boolean
}

/** What the player replies to a prompt: a function of the two alone. */
export function playerReply(prompt: string, player: ReferencePlayer): string {
  return answerPrompt(prompt, player).reply
}

/** The same, with what it was a reply to. */
export function answerPrompt(prompt: string, { skill, seed }: ReferencePlayer): ReferenceReply {
  const random = pcg64(BigInt(`0x${digest('player', seed, prompt).slice(0, 32)}`))
  for (const spec of registry.values()) {
    try {
      const perfect = spec.solve(prompt)
      const isGood = random.random() < skill
      const reply = isGood ? perfect : spec.guess(prompt, random)
      return { reply, env: spec.id, isPerfect: reply === perfect }
    } catch {} // another environment's prompt
  }
  return { reply: 'I do not know this game.', env: undefined, isPerfect: false }
}
