import { make, registry, replay, seedOf, type Transcript } from '@affine/envs'
import { pcg64 } from '@affine/prng'
import type { Sample } from './line.ts'

/**
 * Why a side forfeited a challenge: its fault, `unreadable` for a reply that is no action,
 * `illegal` for one that is not allowed there. Undefined when it did not, or when the transcript
 * does not replay. Never throws, whatever the sample.
 */
export function forfeitOf<Side extends 'champion' | 'contender'>(
  sample: Pick<Sample, 'env' | 'challengeId'> & Readonly<Record<Side, Transcript>>,
  side: Side,
): string | undefined {
  const { messages, fault, reward }: Transcript = sample[side]
  if (!registry.has(sample.env)) return undefined
  const env = make(sample.env)
  const isForfeit = reward <= env.spec.lowestReward
  if (!isForfeit || !replay(env, sample.challengeId, messages).ok) return undefined
  const replies = messages.filter(({ role }) => role === 'assistant')
  const random = pcg64(seedOf(sample.challengeId))
  let state = env.spec.initial(random)
  for (const { content } of replies) {
    const action = env.parse(content)
    if (action === null) return 'unreadable'
    const next = env.spec.step(state, action, random)
    if (next === null) return 'illegal'
    state = next.state
  }
  return fault
}
