import { digest, type Hash, type Json } from '@affine/prng'
import type { Definition, EnvSpec } from './env.ts'
import { goldenEpisode } from './golden.ts'

/** Lower-case words joined by hyphens, and x.y.z without zeros in front. */
const ID = /^[a-z0-9]+(-[a-z0-9]+)*@(0|[1-9][0-9]{0,8})(\.(0|[1-9][0-9]{0,8})){2}$/

/**
 * Checks the plain facts of a definition and freezes it. What it does is `checkEnv`'s to try.
 *
 * Its specHash, worked out at the first call, is its behaviour as one hash: `digest("spec", id,
 * episodes)`. Reformatting its code does not change it; changing what it prints, accepts or rewards
 * in any of 256 episodes does. A rule none of them meets is not seen. Protocol §3.5.
 *
 * @throws RangeError when a name, version or number has the wrong form.
 */
export function defineEnv<State, Observation, Action>(
  definition: Definition<State, Observation, Action>,
): EnvSpec {
  const { name, version, difficulty, maxSteps, replyMs, lowestReward } = definition
  const id = `${name}@${version}`
  if (!ID.test(id))
    throw new RangeError(
      `"name, version" expected lower-case words joined by hyphens and x.y.z, got ${id}`,
    )
  expectInteger('difficulty', difficulty, Number.MIN_SAFE_INTEGER)
  expectInteger('maxSteps', maxSteps, 1)
  expectInteger('replyMs', replyMs, 1)
  expectInteger('lowestReward', lowestReward, Number.MIN_SAFE_INTEGER)
  let hash: Hash | undefined
  const specHash = (): Hash => {
    hash ??= hashOf(spec)
    return hash
  }
  const spec: EnvSpec = Object.freeze({ ...definition, id, specHash })
  return spec
}

function hashOf(spec: EnvSpec): Hash {
  const episodes = Array.from({ length: 256 }, (_, index) => goldenEpisode(spec, index))
  return digest('spec', spec.id, episodes as unknown as Json)
}

function expectInteger(name: string, value: number, least: number): void {
  if (Number.isSafeInteger(value) && value >= least) return
  throw new RangeError(`"${name}" expected an integer from ${least}, got ${value}`)
}
