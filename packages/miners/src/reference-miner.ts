import { registry } from '@affine/envs'
import { digest, pcg64 } from '@affine/prng'

/**
 * A player for experiments. Its skill is the share of replies, 0 to 1, that the scripted player
 * `solve` would give; the other replies are random. Two players with the same seed and skill always
 * give the same answers.
 */
export type ReferencePlayer = { readonly skill: number; readonly seed: string }

/** A reply to a prompt. `env` is undefined if no environment has such a prompt. */
export interface ReferenceReply {
  readonly reply: string
  readonly env: string | undefined
  /** Whether the scripted player would give the reply. */
  readonly isPerfect: boolean
}

export function playerReply(prompt: string, player: ReferencePlayer): string {
  return answerPrompt(prompt, player).reply
}

export function answerPrompt(prompt: string, { skill, seed }: ReferencePlayer): ReferenceReply {
  const random = pcg64(BigInt(`0x${digest('player', seed, prompt).slice(0, 32)}`))
  for (const spec of registry.values()) {
    try {
      const perfect = spec.solve(prompt)
      const isGood = random.random() < skill
      const reply = isGood ? perfect : spec.guess(prompt, random)
      return { reply, env: spec.id, isPerfect: reply === perfect }
    } catch {} // the prompt is of another environment
  }
  return { reply: 'I do not know this game.', env: undefined, isPerfect: false }
}
