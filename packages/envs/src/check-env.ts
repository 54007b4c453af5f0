import { digest, pcg64 } from '@affine/prng'
import { deriveSeed, encodeId } from './challenge.ts'
import type { Env } from './env.ts'
import { playTurns, readAction, writePrompt } from './episode.ts'
import { goldenEpisode, goldenEpisodes, listTranscripts } from './golden.ts'
import type { Space } from './spaces.ts'
import { normalise, recordReply } from './text.ts'

const SEEDS = 16

/**
 * Runs the tests of Gymnasium's `check_env`, and tests for replay: a seed always gives the same
 * episode, rewards are integers, replies are read strictly, and some golden episode earns the
 * highest reward. `solve` has to earn more than a forfeit or, for two players, to move legally.
 *
 * Plays some dozens of episodes with `env`, and hundreds with its specification. Closes `env`. Does
 * not detect an observation that contains the answer, or a wrong rule that none of these episodes
 * reaches.
 * @throws Error that describes the first flaw.
 */
export function checkEnv(env: Env): void {
  env.close()
  expect(env, refusesStep(env), 'step before reset to throw')
  checkSpace(env, env.actionSpace)
  checkSpace(env, env.observationSpace)
  checkSeeds(env)
  if (env.spec.game !== undefined) checkGame(env)
  checkRewards(env)
  // This check is last because the specHash is computed from episodes, whose flaws the checks above
  // describe better.
  checkChallenge(env)
  env.close()
}

function checkSpace(env: Env, space: Space<unknown>): void {
  const random = pcg64(0)
  for (let draw = 0; draw < SEEDS; draw++)
    expect(env, space.contains(space.sample(random)), `samples in ${space.description}`)
  for (const value of [undefined, null, Number.NaN, {}]) {
    expect(env, !space.contains(value), `${space.description} not to contain ${String(value)}`)
  }
}

function checkSeeds(env: Env): void {
  const { spec } = env
  const prompts = new Set<string>()
  for (let seed = 0; seed < SEEDS; seed++) {
    prompts.add(env.prompt(env.reset({ seed })[0]))
    const playBoth = (): string =>
      JSON.stringify([goldenEpisode(spec, seed), traceSolver(env, seed)])
    const first = playBoth()
    expect(env, playBoth() === first, `seed ${seed} to give the same episode each time`)
  }
  expect(env, prompts.size > 1, 'different challenges from different seeds')
}

function checkGame(env: Env): void {
  const { spec } = env
  for (let seed = 0; seed < SEEDS; seed++) {
    const turns = playTurns(spec, seed, 2)
    let turn = turns.next()
    while (!turn.done) {
      const prompt = writePrompt(spec, turn.value.state)
      expect(env, isNormalised(prompt), 'prompts to be normalised text')
      const reply = spec.solve(prompt)
      turn = turns.next(readAction(spec, reply))
      const isLegal = !turn.done || !turn.value.isForfeit
      expect(env, isLegal, `its scripted player's ${JSON.stringify(reply)} to be a legal move`)
    }
    expect(env, turn.value.terminated, `a winner within ${spec.maxSteps} replies`)
  }
}

function checkRewards(env: Env): void {
  const { spec } = env
  const rewards = goldenEpisodes(spec)
    .flatMap(listTranscripts)
    .map(({ reward }) => reward)
  const { lowestReward, highestReward } = spec
  expect(env, Math.min(...rewards) >= lowestReward, `no reward below ${lowestReward}`)
  expect(env, Math.max(...rewards) <= highestReward, `no reward above ${highestReward}`)
  expect(env, rewards.includes(highestReward), `a golden episode to earn ${highestReward}`)
}

function checkChallenge(env: Env): void {
  const { spec } = env
  const challengeId = encodeId(digest('golden', spec.id, 0))
  const [observation, info] = env.reset({ options: { challengeId } })
  const isDescribed = info.env === spec.id && Number.isSafeInteger(info.difficulty)
  expect(env, isDescribed, 'env and an integer for difficulty in info')
  expect(env, info.challenge_id === challengeId, 'the given challenge_id in info')
  expect(env, info.spec_hash === spec.specHash(), 'the spec_hash in info')
  const isCommitted = /^[0-9a-f]{64}$/.test(info.ground_truth_commitment)
  expect(env, isCommitted, 'the ground_truth_commitment in info')

  const [seeded] = env.reset({ seed: deriveSeed(challengeId) })
  const isSeed = env.prompt(seeded) === env.prompt(observation)
  expect(env, isSeed, 'a challenge id to give the episode of its seed')

  const [, reward, terminated] = env.step(null)
  const isForfeit = reward === spec.lowestReward && terminated
  expect(env, isForfeit, 'an unreadable reply to end an episode with the lowest reward')
}

/** Plays an episode with `solve`, and checks it. Returns each step with its prompt and results. */
function traceSolver(env: Env, seed: number): readonly unknown[] {
  const { spec } = env
  const trace: unknown[] = []
  let [observation] = env.reset({ seed })
  let total = 0
  let isOver = false
  while (!isOver) {
    const prompt = checkedPrompt(env, observation)
    const observed = JSON.stringify(observation)
    const [next, reward, terminated, truncated] = env.step(readStrictly(env, spec.solve(prompt)))
    const isSame = JSON.stringify(observation) === observed
    expect(env, isSame, 'a step not to change earlier observations')
    expect(env, Number.isSafeInteger(reward), 'integer rewards')
    trace.push([prompt, observed, reward, terminated, truncated])
    isOver = terminated || truncated
    expect(env, typeof isOver === 'boolean', 'terminated and truncated as booleans')
    expect(env, isOver || trace.length < spec.maxSteps, `an end within ${spec.maxSteps} steps`)
    total += reward
    observation = next
  }
  checkedPrompt(env, observation)
  const isEnough = spec.game !== undefined || total > spec.lowestReward
  expect(env, isEnough, 'its solver to earn more than a forfeit')
  expect(env, refusesStep(env), 'step after the end to throw')
  return trace
}

function checkedPrompt(env: Env, observation: unknown): string {
  const { contains, description } = env.observationSpace
  expect(env, contains(observation), `an observation in ${description}`)
  const prompt = env.prompt(observation)
  expect(env, isNormalised(prompt), 'prompts to be normalised text')
  expect(env, env.render() === prompt, 'render to show the present prompt')
  return prompt
}

const isNormalised = (prompt: string): boolean => prompt !== '' && normalise(prompt) === prompt

/** Returns the action of the solver's reply, and checks how variants of the reply are read. */
function readStrictly(env: Env, good: string): unknown {
  const action = env.parse(good)
  const same = (reply: string) => JSON.stringify(env.parse(reply)) === JSON.stringify(action)
  expect(env, action !== null, `to read its own solver's reply ${JSON.stringify(good)}`)
  const written = env.spec.format(action)
  const isReadBack = same(written) && recordReply(written) === written
  expect(env, isReadBack, 'parse to read what format writes')
  for (const reply of [`Well.\n${good}`, `${good}\n \n`, ` **${good}**. `])
    expect(env, same(reply), `to read the answer of the reply ${JSON.stringify(reply)}`)
  const long = recordReply(`${'Well.\n'.repeat(200)}${good}`)
  expect(env, same(long), `its solver's reply to be recorded whole: ${JSON.stringify(good)}`)
  for (const unreadable of [`Well: ${good}`, `${good}\nWell.`, `${good} or ${good}`, ''])
    expect(env, env.parse(unreadable) === null, `to refuse the reply ${JSON.stringify(unreadable)}`)
  return action
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
