import type { Sample } from '@affine/blocks'
import { make, registry, replay, seedOf } from '@affine/envs'
import { pcg64 } from '@affine/prng'
import type { Role } from './sampling.ts'

/**
 * Why a side forfeited a challenge: its fault, `unreadable` for a reply that is no action,
 * `illegal` for one that is not allowed there. Undefined when it did not, or when the transcript
 * does not replay. Never throws, whatever the sample.
 */
export function forfeitOf(
  { env: id, challengeId, ...sample }: Sample,
  role: Role,
): string | undefined {
  const { messages, fault, reward } = sample[role]
  const env = registry.has(id) ? make(id) : undefined
  if (!env || reward > env.spec.lowestReward || !replay(env, challengeId, messages).ok)
    return undefined
  const random = pcg64(seedOf(challengeId))
  let state = env.spec.initial(random)
  for (const { content } of messages.filter(({ role }) => role === 'assistant')) {
    const action = env.parse(content)
    const next = action === null ? null : env.spec.step(state, action, random)
    if (next === null) return action === null ? 'unreadable' : 'illegal'
    state = next.state
  }
  return fault
}
