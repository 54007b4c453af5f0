import { Env, type EnvSpec, isChallengeId, isOversize, normalise } from '@affine/envs'
import * as z from 'zod'

/** The most at once: some connections are left to say so. */
export const MOST_SESSIONS = 1000

/** From where an episode starts; other members are ignored, as OpenEnv does. */
export interface Reset {
  readonly seed?: number | null | undefined
  readonly challenge_id?: string | null | undefined
  readonly episode_id?: string | null | undefined
}

/** An action. */
export interface Step {
  readonly reply: string
}

export const resetShape: z.ZodType<Reset> = z
  .object({
    seed: z.int().nonnegative().nullish(),
    challenge_id: z.string().refine(isChallengeId, 'expected the base58 of 32 bytes').nullish(),
    episode_id: z.string().max(255).nullish(),
  })
  .refine(
    ({ seed, challenge_id }) => (seed ?? null) === null || (challenge_id ?? null) === null,
    'expected a seed or a challenge_id, got both',
  )
export const stepShape: z.ZodType<Step> = z.object({ reply: z.string() })

/** What an episode came to so far: `prompt` is null once it is done. */
export interface Outcome {
  readonly observation: { readonly prompt: string | null }
  readonly reward: number | null
  readonly done: boolean
}

export interface SessionState {
  readonly episode_id: string | null
  readonly step_count: number
  readonly env: string
  readonly challenge_id: string | null
  readonly total_reward: number
}

/** One client's environment, in text: its action is a reply, of which the last line is read. */
export class Session {
  readonly #env: Env
  #reset: Reset = {}
  #steps = 0

  constructor(spec: EnvSpec) {
    this.#env = new Env(spec)
  }

  /** Without seed and challenge id it goes on with the stream it has; the first draws a seed. */
  reset(asked: Reset): Outcome {
    const { seed, challenge_id: challengeId } = asked
    this.#env.reset({
      ...(typeof seed === 'number' && { seed }),
      ...(typeof challengeId === 'string' && { options: { challengeId } }),
    })
    this.#reset = asked
    this.#steps = 0
    return this.#outcome(null)
  }

  /** Plays a reply as `play` does; one that is oversize forfeits. Null without an episode. */
  step({ reply }: Step): Outcome | null {
    if (this.#env.over) return null
    const content = normalise(reply)
    const [, reward] = this.#env.step(isOversize(content) ? null : this.#env.parse(content))
    this.#steps += 1
    return this.#outcome(reward)
  }

  get state(): SessionState {
    const { episode_id = null, challenge_id = null } = this.#reset
    return {
      episode_id,
      step_count: this.#steps,
      env: this.#env.spec.id,
      challenge_id,
      total_reward: this.#env.total,
    }
  }

  #outcome(reward: number | null): Outcome {
    const done = this.#env.over
    return { observation: { prompt: done ? null : this.#env.render() }, reward, done }
  }
}
