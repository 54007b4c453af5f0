import type { Sample } from '@affine/blocks'
import {
  type Env,
  type EpisodeTurns,
  isChallengeId,
  make,
  type PerSide,
  type Picture,
  registry,
  replay,
  replayGame,
  SIDES,
  type Side,
  seedOf,
  type Transcript,
  turnsOf,
} from '@affine/envs'
import { type EpisodeEnding, endingIn } from './ending.ts'
import { type Turn, turnOf } from './turn.ts'

/** An episode that is played from recorded or given replies, as far as they go. */
export interface EpisodeCourse {
  readonly env: string
  readonly challengeId: string
  /** While the episode is not over, the last turn has no reply. */
  readonly turns: readonly Turn[]
  /** What was observed after the last reply. */
  readonly last: unknown
  readonly lastPicture: Picture | undefined
  /** In an environment of two players, the second is the scripted one unless it is recorded. */
  readonly players: 1 | 2
  /** Of a recorded game, the turns of both sides in their order. */
  readonly moves?: readonly GameMove[]
  readonly isOver: boolean
  readonly reward: number
  /** Undefined while it is not over. */
  readonly ending: EpisodeEnding | undefined
}

/** A turn of a recorded game, and whose it was. */
export interface GameMove {
  readonly side: Side
  readonly turn: Turn
}

/** What an episode is played from. */
export interface PlayedReplies {
  readonly env: string
  readonly challengeId: string
  readonly replies: readonly string[]
  /** Of a game's scripted opponent. Protocol §3.6. */
  readonly strength?: number | undefined
  /** Why no usable reply came after these: the episode is then over. */
  readonly fault?: string | undefined
}

/** A challenge of an environment of two players, as it was recorded of both sides. */
export type RecordedGame = ChallengeRef & PerSide<Transcript>

export type ChallengeRef = Pick<Sample, 'env' | 'challengeId'>

/** A challenge that one player plays alone, in a game against a scripted opponent. */
export type SoloRef = ChallengeRef & Pick<PlayedReplies, 'strength'>

/**
 * How an episode that one player played alone ended. If it does not replay, or its environment is
 * not registered, only the reward. Never throws, whatever the messages.
 */
export function endingOf(challenge: SoloRef, episode: Transcript): EpisodeEnding {
  return recordedCourse(challenge, episode)?.ending ?? plain(`reward ${episode.reward}`)
}

/** How a challenge ended for a side of a duel, as `endingOf`. */
export function sampleEnding(sample: RecordedGame, side: Side): EpisodeEnding {
  return sampleCourse(sample, side)?.ending ?? plain(`reward ${sample[side].reward}`)
}

const plain = (why: string): EpisodeEnding => ({ why, shown: [], better: undefined })

/** The course of a challenge for a side of a duel, as `recordedCourse`. */
export function sampleCourse(sample: RecordedGame, side: Side): EpisodeCourse | undefined {
  if (registry.get(sample.env)?.game !== undefined) return gameCourse(sample, side)
  return recordedCourse(sample, sample[side])
}

/**
 * The course of a recorded episode of one player alone; undefined if it does not replay, or its
 * environment is not registered. Never throws, whatever the messages.
 */
export function recordedCourse(
  { env, challengeId, strength }: SoloRef,
  { messages, fault = 'no-reply' }: Transcript,
): EpisodeCourse | undefined {
  if (!registry.has(env)) return undefined
  if (!replay(make(env, { strength }), challengeId, messages).ok) return undefined
  return courseOf({ env, challengeId, strength, replies: repliesIn(messages), fault })
}

const repliesIn = (messages: Transcript['messages']): readonly string[] =>
  messages.filter(({ role }) => role === 'assistant').map(({ content }) => content)

/**
 * The course of an episode, turn by turn; undefined if the environment is not registered or the
 * challenge id is not valid. Replies after the end are left out. Never throws, if a strength is
 * given for games only.
 */
export function courseOf({
  env: name,
  challengeId,
  replies,
  strength,
  fault,
}: PlayedReplies): EpisodeCourse | undefined {
  if (!registry.has(name) || !isChallengeId(challengeId)) return undefined
  const env = make(name, { strength })
  const { spec } = env
  const left = replies.values()
  const isFault = fault !== undefined
  const episode = turnsOf(spec, seedOf(challengeId), 1)
  const { moves, now } = playReplies(env, episode, { replyOf: () => left.next().value, isFault })
  const turns = moves.map(({ turn }) => turn)
  const { observation: last, reward } = now.value
  const isOver = now.done === true
  const endedBy = turns.at(-1)?.reply === undefined ? fault : undefined
  const played = { turns, last, reward }
  return {
    ...{ env: name, challengeId, ...played, isOver },
    lastPicture: spec.explain?.picture?.(last),
    players: spec.game === undefined ? 1 : 2,
    ending: isOver ? endingIn(spec, played, endedBy) : undefined,
  }
}

/** As `recordedCourse`, for a side of a game that was recorded of both. */
function gameCourse(game: RecordedGame, side: Side): EpisodeCourse | undefined {
  const { env: name, challengeId, champion, contender } = game
  const env = make(name)
  const { spec } = env
  const recorded = { champion: champion.messages, contender: contender.messages }
  const replayed = replayGame(env, challengeId, recorded)
  if (!replayed.ok) return undefined
  const { reward, fault: isFault } = replayed.value[side]
  const said = SIDES.map((each) => [each, repliesIn(recorded[each]).values()] as const)
  const left = new Map(said)
  const replyOf = (mover: Side) => left.get(mover)?.next().value
  const episode = turnsOf(spec, seedOf(challengeId), 2)
  const isBegun = SIDES.some((each) => recorded[each].length > 0)
  const { moves, now } = isBegun
    ? playReplies(env, episode, { replyOf, isFault: true })
    : { moves: [], now: episode.next() }
  const turns = moves.flatMap(({ side: mover, turn }) => (mover === side ? [turn] : []))
  const played = { turns, last: now.value.observation, reward }
  const lastPicture = spec.explain?.picture?.(played.last)
  const shown = { lastPicture, players: 2, moves } as const
  const course = { env: name, challengeId, ...played, ...shown, isOver: true }
  if (!now.done) return { ...course, ending: plain('the game was never begun') }
  const isLeft = now.value.isForfeit && now.value.side !== side
  if (isLeft) return { ...course, ending: plain('won: the opponent forfeited') }
  return { ...course, ending: endingIn(spec, played, isFault ? game[side].fault : undefined) }
}

/** What is replied, and whether the episode ends where nothing is. */
interface GivenReplies {
  readonly replyOf: (mover: Side) => string | undefined
  readonly isFault: boolean
}

/** Plays replies until the episode or they end: the turns in their order, and where it is then. */
function playReplies(env: Env, episode: EpisodeTurns, { replyOf, isFault }: GivenReplies) {
  const moves: GameMove[] = []
  let now = episode.next()
  while (!now.done) {
    const { side, observation } = now.value
    const reply = replyOf(side)
    if (reply === undefined) {
      moves.push({ side, turn: turnOf(env, observation) })
      if (isFault) now = episode.next(null)
      break
    }
    const action = env.parse(reply)
    now = episode.next(action)
    const isLegal = !now.done || !now.value.isForfeit
    moves.push({ side, turn: turnOf(env, observation, { reply, action, isLegal }) })
  }
  return { moves, now }
}
