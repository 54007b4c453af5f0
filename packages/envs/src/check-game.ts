import type { EnvSpec } from './definition.ts'
import { GameEpisode } from './game-episode.ts'
import { normalise } from './text.ts'

/**
 * What is wrong with an environment of two players, tried with the scripted player on both sides
 * from as many seeds; undefined if nothing is.
 */
export function gameFault(spec: EnvSpec, seeds: number): string | undefined {
  for (let seed = 0; seed < seeds; seed++) {
    const episode = new GameEpisode(spec, seed)
    for (let left = spec.maxSteps; episode.winner === undefined; left--) {
      if (left === 0) return `a winner within ${spec.maxSteps} replies`
      const wrong = moveFault(spec, episode)
      if (wrong !== undefined) return wrong
    }
  }
  return undefined
}

/** Makes the scripted player's move; what is wrong with it, if anything. */
function moveFault(spec: EnvSpec, episode: GameEpisode): string | undefined {
  const { prompt, mover } = episode
  if (prompt === '' || normalise(prompt) !== prompt) return 'prompts to be normalised text'
  const reply = spec.solve(prompt)
  episode.reply(reply)
  const isLegal = episode.winner === undefined || episode.winner === mover
  return isLegal ? undefined : `its scripted player's ${JSON.stringify(reply)} to be a legal move`
}
