import { digest, type Generator, type Hash, type Json } from '@affine/prng'
import type { Definition, EnvSpec, GameDefinition, GameRules } from './definition.ts'
import { drawFirst } from './episode.ts'
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
  return createSpec(definition)
}

/**
 * The same for an environment of two players. Of what it gives, `game` decides; the rest is the
 * game for one player, against the scripted one. Protocol §3.1, §3.6.
 *
 * @throws RangeError when a name, version or number has the wrong form.
 */
export function defineGame<State, Observation, Action>(
  definition: GameDefinition<State, Observation, Action>,
): EnvSpec {
  const { clockMs, initial, step, ...shared } = definition
  expectInteger('clockMs', clockMs, 1, Number.MAX_SAFE_INTEGER)
  return createSpec({
    ...shared,
    ...againstScripted(definition, 1),
    game: { clockMs, initial, step, against: (strength) => againstScripted(definition, strength) },
  })
}

/**
 * The same game for one player: its opponent is the scripted one, which replies what `solve` does,
 * at a strength below 1 only to that share of its prompts; to others it guesses until a guess is
 * legal. The first draw says who is first: 0 the player. Protocol §3.6.
 */
function againstScripted<State, Observation, Action>(
  game: GameDefinition<State, Observation, Action>,
  strength: number,
): Pick<Definition<State, Observation, Action>, 'initial' | 'step'> {
  const { lowestReward, highestReward } = game
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
  /** After the player's action, or before its first: the opponent's. */
  const answered = (state: State, random: Generator) => {
    const moved = opponentMove(state, random)
    if (moved === null) return { state, reward: highestReward, terminated: true }
    const reward = moved.won ? lowestReward : 0
    return { state: moved.state, reward, terminated: moved.won }
  }
  return {
    initial: (random) => {
      const first = drawFirst(['player', 'opponent'], random)
      const state = game.initial(random)
      return first === 'player' ? state : answered(state, random).state
    },
    step: (state, action, random) => {
      const moved = game.step(state, action, random)
      if (moved === null) return null
      if (moved.won) return { state: moved.state, reward: highestReward, terminated: true }
      return answered(moved.state, random)
    },
  }
}

function createSpec<State, Observation, Action>(
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
  expectInteger('lowestReward', lowestReward, -GREATEST_REWARD, GREATEST_REWARD)
  expectInteger('highestReward', highestReward, lowestReward + 1, GREATEST_REWARD)
  let hash: Hash | undefined
  const specHash = (): Hash => {
    hash ??= digest('spec', id, goldenEpisodes(spec) as unknown as Json)
    return hash
  }
  const spec: EnvSpec = Object.freeze({ ...definition, id, specHash })
  return spec
}

function expectInteger(name: string, value: number, least: number, most: number): void {
  if (Number.isSafeInteger(value) && value >= least && value <= most) return
  throw new RangeError(`"${name}" expected an integer from ${least} to ${most}, got ${value}`)
}
