import { digest, pcg64 } from '@affine/prng'
import { encodeId, seedOf } from './challenge.ts'
import type { Env } from './env.ts'
import { actionIn, turnsOf } from './episode.ts'
import { goldenEpisode, goldenEpisodes, listTranscripts } from './golden.ts'
import type { Space } from './spaces.ts'
import { normalise, recordedOf } from './text.ts'

const SEEDS = 16

/**
 * Tries what Gymnasium's `check_env` tries, and what replay needs besides: the same seed gives the
 * same episode, text for text; rewards are integers; replies are read strictly; the perfect player
 * earns more than a forfeit, which of two players the scripted one does in some game.
 *
 * It plays some dozens of episodes with `env` and leaves it closed. Passing is no proof: it cannot
 * see that an observation gives the answer away, or a rule that no seed of it meets.
 * @throws Error that says what is wrong.
 */
export function checkEnv(env: Env): void {
  env.close()
  expect(env, refusesStep(env), 'step before reset to throw')
  checkSpace(env, env.actionSpace)
  checkSpace(env, env.observationSpace)
  checkSeeds(env)
  if (env.spec.game !== undefined) checkGame(env)
  checkRewards(env)
  // Last, because the specHash is made of episodes, and what is wrong with those is better said
  // above.
  checkChallenge(env)
  env.close()
}

function checkSpace(env: Env, space: Space<unknown>): void {
  const random = pcg64(0)
  for (let draw = 0; draw < SEEDS; draw++)
    expect(env, space.contains(space.sample(random)), `samples in ${space.description}`)
  for (const stranger of [undefined, null, Number.NaN, {}]) {
    const isOut = !space.contains(stranger)
    expect(env, isOut, `${space.description} not to contain ${String(stranger)}`)
  }
}

/** Seeds give different episodes, and each the same one every time. */
function checkSeeds(env: Env): void {
  const { spec } = env
  const prompts = new Set<string>()
  for (let seed = 0; seed < SEEDS; seed++) {
    prompts.add(env.prompt(env.reset({ seed })[0]))
    const playBoth = (): string =>
      JSON.stringify([goldenEpisode(spec, seed), traceSolver(env, seed)])
    const once = playBoth()
    const again = playBoth()
    expect(env, once === again, `seed ${seed} to give one episode, always`)
  }
  expect(env, prompts.size > 1, 'different challenges from different seeds')
}

/** The scripted player plays both sides of games, and gets each of them to its end. */
function checkGame(env: Env): void {
  const { spec } = env
  for (let seed = 0; seed < SEEDS; seed++) {
    const turns = turnsOf(spec, seed, 2)
    let turn = turns.next()
    for (let left = spec.maxSteps; !turn.done; left--) {
      expect(env, left > 0, `a winner within ${spec.maxSteps} replies`)
      const prompt = spec.prompt(turn.value.observation)
      expect(env, isNormalised(prompt), 'prompts to be normalised text')
      const reply = spec.solve(prompt)
      turn = turns.next(actionIn(spec, reply))
      const isLegal = !turn.done || !turn.value.isForfeit
      const legal = `its scripted player's ${JSON.stringify(reply)} to be a legal move`
      expect(env, isLegal, legal)
    }
  }
}

/** The golden episodes keep to the bounds and reach the upper one, so that the specHash has it. */
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

/** A challenge id, the info that goes with it, and a forfeit. */
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

  const [seeded] = env.reset({ seed: seedOf(challengeId) })
  const isSeed = env.prompt(seeded) === env.prompt(observation)
  expect(env, isSeed, 'a challenge id to be no more than its seed')

  const [, reward, terminated] = env.step(null)
  const isForfeit = reward === spec.lowestReward && terminated
  expect(env, isForfeit, 'an unreadable reply to end it with the lowest reward')
}

/** The solver's episode, every step looked at: prompts, observations, rewards and ends. */
function traceSolver(env: Env, seed: number): readonly unknown[] {
  const { spec, observationSpace } = env
  const trace: unknown[] = []
  let [observation] = env.reset({ seed })
  let total = 0
  let over = false
  while (!over) {
    const isIn = observationSpace.contains(observation)
    expect(env, isIn, `an observation in ${observationSpace.description}`)
    const prompt = checkedPrompt(env, observation)
    const seen = JSON.stringify(observation)
    const [next, reward, terminated, truncated] = env.step(readStrictly(env, spec.solve(prompt)))
    expect(env, JSON.stringify(observation) === seen, 'a step to leave earlier observations alone')
    expect(env, Number.isSafeInteger(reward), 'integer rewards')
    trace.push([prompt, seen, reward, terminated, truncated])
    over = terminated || truncated
    expect(env, typeof over === 'boolean', 'terminated and truncated as booleans')
    expect(env, over || trace.length < spec.maxSteps, `an end within ${spec.maxSteps} steps`)
    total += reward
    observation = next
  }
  const isIn = observationSpace.contains(observation)
  expect(env, isIn, `a last observation in ${observationSpace.description}`)
  const isEnough = spec.game !== undefined || total > spec.lowestReward
  expect(env, isEnough, 'its solver to earn more than a forfeit')
  expect(env, refusesStep(env), 'step after the end to throw')
  return trace
}

function checkedPrompt(env: Env, observation: unknown): string {
  const prompt = env.prompt(observation)
  expect(env, isNormalised(prompt), 'prompts to be normalised text')
  expect(env, env.render() === prompt, 'render to show the present prompt')
  return prompt
}

const isNormalised = (prompt: string): boolean => prompt !== '' && normalise(prompt) === prompt

/** The action of the solver's reply, once what is nearly the same reply has been tried. */
function readStrictly(env: Env, good: string): unknown {
  const action = env.parse(good)
  const same = (reply: string): boolean =>
    JSON.stringify(env.parse(reply)) === JSON.stringify(action)
  expect(env, action !== null, `to read its own solver's reply ${JSON.stringify(good)}`)
  const written = env.spec.format(action)
  const isReadBack = same(written) && recordedOf(written) === written
  expect(env, isReadBack, 'parse to read what format writes')
  for (const reply of [`Well.\n${good}`, `${good}\n \n`, ` **${good}**. `])
    expect(env, same(reply), `to read the answer of the reply ${JSON.stringify(reply)}`)
  const wordy = recordedOf(`${'Well.\n'.repeat(200)}${good}`)
  expect(env, same(wordy), `its solver's reply to be recorded whole: ${JSON.stringify(good)}`)
  for (const spoiled of [`Well: ${good}`, `${good}\nWell.`, `${good} or ${good}`, ''])
    expect(env, env.parse(spoiled) === null, `to refuse the reply ${JSON.stringify(spoiled)}`)
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
