import type { Env } from './env.ts'
import { playTurns, readAction, writePrompt } from './episode.ts'
import { goldenEpisode, goldenEpisodes, listTranscripts } from './golden.ts'
import { normalise, recordReply } from './text.ts'

const SEEDS = 16

/**
 * Tests the functions of an environment's definition: a seed always gives the same episode, rewards
 * are integers, replies are read strictly, and some golden episode earns the highest reward.
 * `solve` has to earn more than a forfeit or, for two players, to move legally.
 *
 * Plays some dozens of episodes with `env`, and hundreds with its specification. Closes `env`. Does
 * not detect an observation that contains the answer, or a wrong rule that none of these episodes
 * reaches.
 * @throws Error that describes the first flaw.
 */
export function checkEnv(env: Env): void {
  checkSeeds(env)
  if (env.spec.game !== undefined) checkGame(env)
  checkRewards(env)
  env.close()
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

/** Plays an episode with `solve`, and checks it. Returns each step with its prompt and results. */
function traceSolver(env: Env, seed: number): readonly unknown[] {
  const { spec } = env
  const [first, info] = env.reset({ seed })
  expect(env, Number.isSafeInteger(info.difficulty), 'an integer as difficulty')
  const trace: unknown[] = [info.difficulty, info.ground_truth_commitment]
  let observation = first
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
    total += reward
    observation = next
  }
  checkedPrompt(env, observation)
  const isEnough = spec.game !== undefined || total > spec.lowestReward
  expect(env, isEnough, 'its solver to earn more than a forfeit')
  return trace
}

function checkedPrompt(env: Env, observation: unknown): string {
  const { contains, description } = env.observationSpace
  expect(env, contains(observation), `an observation in ${description}`)
  const prompt = env.prompt(observation)
  expect(env, isNormalised(prompt), 'prompts to be normalised text')
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
  expect(env, same(` **${good}**. `), `to read the reply ${JSON.stringify(good)} in bold`)
  const long = recordReply(`${'Well.\n'.repeat(200)}${good}`)
  expect(env, same(long), `its solver's reply to be recorded whole: ${JSON.stringify(good)}`)
  for (const unreadable of [`Well: ${good}`, `${good}\nWell.`, `${good} or ${good}`, ''])
    expect(env, env.parse(unreadable) === null, `to refuse the reply ${JSON.stringify(unreadable)}`)
  return action
}

function expect(env: Env, holds: boolean, expected: string): void {
  if (!holds) throw new Error(`"${env.spec.id}" expected ${expected}`)
}
