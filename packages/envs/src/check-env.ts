import { digest, pcg64 } from '@affine/prng'
import { encodeId, seedOf } from './challenge.ts'
import type { Env, Info } from './env.ts'
import { specHashOf } from './spec-hash.ts'
import { normalise } from './text.ts'

const SEEDS = 16

/**
 * Tries what Gymnasium's `check_env` tries, and what replay needs besides: the same seed gives the same episode, text
 * for text; rewards are integers; replies are read strictly; the perfect player earns more than a forfeit.
 *
 * It plays some dozens of episodes with `env` and leaves it closed. Passing is no proof: it cannot see that an
 * observation gives the answer away, or a rule that none of its seeds meets.
 * @throws Error that says what is wrong.
 */
export function checkEnv(env: Env): void {
  env.close()
  expect(env, refusesStep(env), 'step before reset to throw')
  checkSpaces(env)
  checkReplies(env)
  const firstPrompts = new Set<string>()
  for (let seed = 0; seed < SEEDS; seed++) {
    const solved = run(env, seed, perfect(env))
    expect(env, solved.total > env.spec.lowestReward, 'its solver to earn more than a forfeit')
    expect(env, solved.trace === run(env, seed, perfect(env)).trace, `seed ${seed} to give one episode, always`)
    const sampled = run(env, seed, sampling(env, seed))
    expect(env, sampled.trace === run(env, seed, sampling(env, seed)).trace, `seed ${seed} to give one episode, always`)
    firstPrompts.add(env.prompt(env.reset({ seed })[0]))
  }
  expect(env, firstPrompts.size > 1, 'different challenges from different seeds')
  // Last, because the specHash is made of episodes, and what is wrong with those is better said above.
  checkReset(env)
  env.close()
}

type Player = (prompt: string) => unknown

function perfect(env: Env): Player {
  return (prompt) => env.parse(normalise(env.spec.solve(prompt)))
}

function sampling(env: Env, seed: number): Player {
  const random = pcg64(seed)
  return () => env.actionSpace.sample(random)
}

/** One episode, every step looked at; its prompts and outcomes as text. */
function run(env: Env, seed: number, player: Player): { trace: string; total: number } {
  let [observation, info] = env.reset({ seed })
  const trace: unknown[] = []
  let total = 0
  for (let over = false; !over; ) {
    expect(env, env.observationSpace.contains(observation), `an observation in ${env.observationSpace.description}`)
    checkInfo(env, info, undefined)
    const prompt = env.prompt(observation)
    expect(env, prompt.length > 0 && normalise(prompt) === prompt, 'prompts to be normalised text')
    expect(env, env.render() === prompt, 'render to show the present prompt')
    const before = JSON.stringify(observation)
    const [next, reward, terminated, truncated, nextInfo] = env.step(player(prompt))
    expect(env, JSON.stringify(observation) === before, 'a step to leave earlier observations alone')
    expect(env, Number.isSafeInteger(reward), 'integer rewards')
    expect(
      env,
      typeof terminated === 'boolean' && typeof truncated === 'boolean',
      'terminated and truncated as booleans',
    )
    total += reward
    over = terminated || truncated
    trace.push([prompt, before, reward, terminated, truncated])
    observation = next
    info = nextInfo
    expect(env, over || trace.length < env.spec.maxSteps, `an end within ${env.spec.maxSteps} steps`)
  }
  expect(env, env.observationSpace.contains(observation), 'a last observation in its space')
  expect(env, total >= env.spec.lowestReward, `no reward below ${env.spec.lowestReward}`)
  expect(env, refusesStep(env), 'step after the end to throw')
  return { trace: JSON.stringify(trace), total }
}

function checkSpaces(env: Env): void {
  for (const space of [env.actionSpace, env.observationSpace]) {
    const random = pcg64(0)
    for (let draw = 0; draw < SEEDS; draw++)
      expect(env, space.contains(space.sample(random)), `samples in ${space.description}`)
    for (const stranger of [undefined, null, Number.NaN, {}])
      expect(env, !space.contains(stranger), `${space.description} not to contain ${String(stranger)}`)
  }
}

function checkReset(env: Env): void {
  const challengeId = encodeId(digest('golden', env.spec.id, 0))
  const [observation, info] = env.reset({ options: { challengeId } })
  checkInfo(env, info, challengeId)
  expect(env, info.specHash === specHashOf(env.spec), 'the specHash in info')
  expect(env, /^[0-9a-f]{64}$/.test(info.groundTruthCommitment), 'the groundTruthCommitment in info')
  const [seeded] = env.reset({ seed: seedOf(challengeId) })
  expect(env, env.prompt(seeded) === env.prompt(observation), 'a challenge id to be no more than its seed')
  const [, reward, terminated] = env.step(null)
  expect(env, reward === env.spec.lowestReward && terminated, 'an unreadable reply to end it with the lowest reward')
}

function checkInfo(env: Env, info: Info, challengeId: string | undefined): void {
  expect(env, info.env === env.spec.id && info.difficulty === env.spec.difficulty, 'env and difficulty in info')
  expect(env, info.challengeId === challengeId, 'info to hold the challenge id it was given')
}

function checkReplies(env: Env): void {
  for (let seed = 0; seed < SEEDS; seed++) {
    const good = env.spec.solve(env.prompt(env.reset({ seed })[0]))
    const action = env.parse(good)
    const same = (other: unknown): boolean => JSON.stringify(other) === JSON.stringify(action)
    expect(env, action !== null, `to read its own solver's reply ${JSON.stringify(good)}`)
    expect(env, same(env.parse(env.spec.format(action))), 'parse to read what format writes')
    expect(env, same(env.parse(`Well.\n${good}`)), 'the last line of a reply to count')
    for (const spoiled of [`${good}\n`, `${good}\nWell.`, ` ${good}`, `${good} `, ''])
      expect(env, env.parse(spoiled) === null, `to refuse the reply ${JSON.stringify(spoiled)}`)
  }
}

function refusesStep(env: Env): boolean {
  try {
    env.step(null)
    return false
  } catch {
    return true
  }
}

function expect(env: Env, holds: boolean, expected: string): void {
  if (!holds) throw new Error(`"${env.spec.id}" expected ${expected}`)
}
