import { digest, type Hash, type Json } from '@affine/prng'
import type { Definition, EnvSpec } from './env.ts'
import { goldenEpisodes } from './golden.ts'

/** Lower-case words joined by hyphens, and x.y.z without zeros in front. */
const ID = /^[a-z0-9]+(-[a-z0-9]+)*@(0|[1-9][0-9]{0,8})(\.(0|[1-9][0-9]{0,8})){2}$/

/** So that a million times what an episode earns is a safe integer. */
const GREATEST_REWARD = 10 ** 9

/**
 * Checks the plain facts of a definition and freezes it. What it does is `checkEnv`'s to try.
 *
 * Its specHash, worked out at the first call, is its behaviour as one hash: `digest("spec", id,
 * episodes)`. Reformatting its code does not change it; changing what it prints, accepts or rewards
 * in any of 256 episodes does. A rule that no episode meets is not seen. Protocol §3.5.
 *
 * @throws RangeError when a name, version or number has the wrong form.
 */
export function defineEnv<State, Observation, Action>(
  definition: Definition<State, Observation, Action>,
): EnvSpec {
  const { name, version, difficulty, maxSteps, replyMs } = definition
  const { lowestReward, highestReward } = definition
  const id = `${name}@${version}`
  if (!ID.test(id))
    throw new RangeError(
      `"name, version" expected lower-case words joined by hyphens and x.y.z, got ${id}`,
    )
  const most = Number.MAX_SAFE_INTEGER
  expectInteger('difficulty', difficulty, { least: -most, most })
  expectInteger('maxSteps', maxSteps, { least: 1, most })
  expectInteger('replyMs', replyMs, { least: 1, most })
  expectInteger('lowestReward', lowestReward, { least: -GREATEST_REWARD, most: GREATEST_REWARD })
  const least = lowestReward + 1
  expectInteger('highestReward', highestReward, { least, most: GREATEST_REWARD })
  let hash: Hash | undefined
  const specHash = (): Hash => {
    hash ??= hashOf(spec)
    return hash
  }
  const spec: EnvSpec = Object.freeze({ ...definition, id, specHash })
  return spec
}

function hashOf(spec: EnvSpec): Hash {
  return digest('spec', spec.id, goldenEpisodes(spec) as unknown as Json)
}

function expectInteger(name: string, value: number, { least, most }: IntegerRange): void {
  if (Number.isSafeInteger(value) && value >= least && value <= most) return
  throw new RangeError(`"${name}" expected an integer from ${least} to ${most}, got ${value}`)
}

interface IntegerRange {
  readonly least: number
  readonly most: number
}
