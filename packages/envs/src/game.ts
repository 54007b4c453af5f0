import type { Generator } from '@affine/prng'
import type { Definition, GameDefinition } from './definition.ts'

/** Which of two players is first, in its players' order: the first draw of a challenge. */
export function firstOf<Player>(players: readonly [Player, Player], random: Generator): Player {
  return players[random.integers(0, 2) as 0 | 1]
}

/**
 * The same game for one player: its opponent is the scripted one, which replies what `solve` does,
 * at a strength below 1 only to that share of its prompts; to others it guesses until a guess is
 * legal. The first draw says who is first: 0 the player. Protocol §3.6.
 */
export function againstScripted<State, Observation, Action>(
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
      const first = firstOf(['player', 'opponent'], random)
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
