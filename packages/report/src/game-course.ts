import type { Sample } from '@affine/blocks'
import {
  type Env,
  GameEpisode,
  make,
  type PerSide,
  replayGame,
  seedOf,
  type Transcript,
} from '@affine/envs'
import type { EpisodeCourse, GameMove } from './course.ts'
import { type EpisodeEnding, endingIn } from './ending.ts'
import { SIDES, type Side } from './sides.ts'
import { turnOf } from './turn.ts'

/** A challenge of an environment of two players, as it was recorded of both sides. */
export type RecordedGame = Pick<Sample, 'env' | 'challengeId'> & PerSide<Transcript>

/**
 * The course of a game for one of its sides, whose turns it has; undefined if it does not replay.
 * Never throws, whatever the messages. @throws TypeError for an environment of one player.
 */
export function gameCourse(game: RecordedGame, side: Side): EpisodeCourse | undefined {
  const { env: name, challengeId, champion, contender } = game
  const env = make(name)
  const recorded = { champion: champion.messages, contender: contender.messages }
  const replayed = replayGame(env, challengeId, recorded)
  if (!replayed.ok) return undefined
  const { reward, fault: isFault } = replayed.value[side]
  const episode = new GameEpisode(env.spec, seedOf(challengeId))
  const isBegun = SIDES.some((each) => recorded[each].length > 0)
  const moves = isBegun ? movesOf(env, episode, recorded) : []
  const turns = moves.flatMap(({ side: mover, turn }) => (mover === side ? [turn] : []))
  const played = { turns, last: episode.observation, reward }
  const lastPicture = env.spec.explain?.picture?.(played.last)
  const shown = { lastPicture, players: 2, moves } as const
  const course = { env: name, challengeId, ...played, ...shown, isOver: true }
  if (!isBegun) return { ...course, ending: plain('the game was never begun') }
  const isLeft = episode.mover !== side && episode.winner === side
  if (isLeft) return { ...course, ending: plain('won: the opponent forfeited') }
  const fault = isFault ? game[side].fault : undefined
  return { ...course, ending: endingIn(env.spec, played, fault) }
}

const plain = (why: string): EpisodeEnding => ({ why, shown: [], better: undefined })

/** The turns of both sides, in order. The episode has ended then. */
function movesOf(
  env: Env,
  episode: GameEpisode,
  recorded: PerSide<Transcript['messages']>,
): readonly GameMove[] {
  const taken = { champion: 0, contender: 0 }
  const moves: GameMove[] = []
  while (episode.winner === undefined) {
    const { mover, observation } = episode
    const reply = recorded[mover][taken[mover] + 1]?.content
    taken[mover] += 2
    if (reply === undefined) {
      episode.forfeit()
      moves.push({ side: mover, turn: turnOf(env, observation) })
      continue
    }
    episode.reply(reply)
    const isLegal = episode.winner === undefined || episode.winner === mover
    const judged = { reply, action: env.parse(reply), isLegal }
    moves.push({ side: mover, turn: turnOf(env, observation, judged) })
  }
  return moves
}
