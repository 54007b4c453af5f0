import { digest, type Generator, type Hash, type Json } from '@affine/prng'
import type { Definition, EnvSpec, GameDefinition, GameRules } from './definition.ts'
import { drawFirst } from './episode.ts'
import { goldenEpisodes } from './golden.ts'

/** Lower-case words joined by hyphens, and x.y.z without leading zeros. */
const ID = /^[a-z0-9]+(-[a-z0-9]+)*@(0|[1-9][0-9]{0,8})(\.(0|[1-9][0-9]{0,8})){2}$/

/** Maximum absolute reward. A million times as much is still a safe integer. */
const MAX_REWARD = 10 ** 9

/**
 * Returns the frozen specification of a definition. Checks its name, version and numbers;
 * `checkEnv` tests the behaviour of its functions.
 *
 * The specHash, computed at the first call, is `digest("spec", id, episodes)`. It changes with the
 * prompts, accepted replies or rewards of any of 256 golden episodes, but not with a rule that no
 * golden episode reaches. Protocol §3.5.
 *
 * @throws RangeError if a name, version or number has the wrong form.
 */
export function defineEnv<State, Observation, Action>(
  definition: Definition<State, Observation, Action> & { readonly game?: GameRules },
): EnvSpec {
  const { name, version, maxSteps, replyMs, lowestReward, highestReward } = definition
  const id = `${name}@${version}`
  if (!ID.test(id))
    throw new RangeError(
      `"name, version" expected lower-case words joined by hyphens and x.y.z, got ${id}`,
    )
  expectInteger('maxSteps', maxSteps, 1, Number.MAX_SAFE_INTEGER)
  expectInteger('replyMs', replyMs, 1, Number.MAX_SAFE_INTEGER)
  expectInteger('lowestReward', lowestReward, -MAX_REWARD, MAX_REWARD)
  expectInteger('highestReward', highestReward, lowestReward + 1, MAX_REWARD)
  let hash: Hash | undefined
  const specHash = (): Hash => {
    hash ??= digest('spec', id, goldenEpisodes(spec) as unknown as Json)
    return hash
  }
  const spec: EnvSpec = Object.freeze({ ...definition, id, specHash })
  return spec
}

/**
 * Returns the specification of an environment of two players, as `EnvSpec` describes it. Protocol
 * §3.1, §3.6.
 *
 * @throws RangeError as `defineEnv` does.
 */
export function defineGame<State, Observation, Action>(
  definition: GameDefinition<State, Observation, Action>,
): EnvSpec {
  const { clockMs, ...shared } = definition
  expectInteger('clockMs', clockMs, 1, Number.MAX_SAFE_INTEGER)
  const rules: Definition<State, Observation, Action> = {
    ...shared,
    step: (...move) => {
      const moved = definition.step(...move)
      if (moved === null) return null
      const reward = moved.won ? definition.highestReward : 0
      return { state: moved.state, reward, terminated: moved.won }
    },
  }
  const { initial, step } = rules
  const against = (strength: number) => againstScripted(rules, strength)
  return defineEnv({ ...rules, ...against(1), game: { clockMs, initial, step, against } })
}

/**
 * Returns the game for one player. The scripted opponent replies with `solve` to a share of
 * `strength` of its prompts, and with random legal guesses to the others. The first draw selects
 * who moves first: the player if it is 0, otherwise the opponent. Protocol §3.6.
 */
function againstScripted<State, Observation, Action>(
  game: Definition<State, Observation, Action>,
  strength: number,
): Pick<Definition<State, Observation, Action>, 'initial' | 'step'> {
  const move = (state: State, reply: string, random: Generator) => {
    const action = game.parse(reply)
    return action === null ? null : game.step(state, action, random)
  }
  const opponentMove = (state: State, random: Generator) => {
    const prompt = game.prompt(game.observe(state))
    if (strength === 1 || random.random() < strength) return move(state, game.solve(prompt), random)
    for (;;) {
      const moved = move(state, game.guess(prompt, random), random)
      if (moved !== null) return moved
    }
  }
  /** Plays the opponent's turn, after the player's action or before its first. */
  const playOpponent = (state: State, random: Generator) => {
    const moved = opponentMove(state, random)
    if (moved === null) return { state, reward: game.highestReward, terminated: true }
    return { ...moved, reward: moved.terminated ? game.lowestReward : 0 }
  }
  return {
    initial: (random) => {
      const first = drawFirst(random)
      const state = game.initial(random)
      return first === 'champion' ? state : playOpponent(state, random).state
    },
    step: (state, action, random) => {
      const moved = game.step(state, action, random)
      return moved === null || moved.terminated ? moved : playOpponent(moved.state, random)
    },
  }
}

function expectInteger(name: string, value: number, min: number, max: number): void {
  if (Number.isSafeInteger(value) && value >= min && value <= max) return
  throw new RangeError(`"${name}" expected an integer from ${min} to ${max}, got ${value}`)
}
