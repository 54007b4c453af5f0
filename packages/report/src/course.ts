import {
  type Env,
  type EpisodeOrigin,
  isChallengeId,
  listReplies,
  make,
  type PerSide,
  type Picture,
  playTurns,
  registry,
  replay,
  replayGame,
  SIDES,
  type Side,
  type Transcript,
} from '@affine/envs'
import { describeOutcome, type EpisodeEnding, judgeTurn, type Turn } from './turn.ts'

/** A recorded episode, turn by turn, for one side. */
export interface EpisodeCourse {
  readonly turns: readonly Turn[]
  /**
   * Picture of the position at the end. Undefined without pictures, if an episode has one turn, and
   * after a forfeit.
   */
  readonly lastPicture?: Picture | undefined
  /** Turns of both sides in order. Only in a game recorded for both sides. */
  readonly moves?: readonly GameMove[]
  readonly reward: number
  readonly ending: EpisodeEnding
}

export interface GameMove {
  readonly side: Side
  readonly turn: Turn
}

interface ChallengeRef {
  readonly env: string
  readonly challengeId: string
}

/** A challenge as recorded for both sides of a duel. */
type RecordedPair = ChallengeRef & PerSide<Transcript>

/** A challenge for one player; a game is against a scripted opponent. */
export interface SoloRef extends ChallengeRef {
  /** Strength of the scripted opponent. Default: 1. Protocol §3.6. */
  readonly strength?: number | undefined
}

/** An episode of one player, identified by its challenge or its seed. */
type SoloEpisode = Omit<SoloRef, 'challengeId'> & (ChallengeRef | { readonly seed: bigint })

/**
 * Describes the ending of a one-player episode: only the reward if the episode does not replay, its
 * id is malformed, or its environment is not registered. Never throws, for any messages.
 */
export function describeSoloEnding(played: SoloEpisode, episode: Transcript): EpisodeEnding {
  return replaySolo(played, episode)?.ending ?? rewardEnding(`reward ${episode.reward}`)
}

/** Describes the ending of a challenge for a side of a duel, as `describeSoloEnding` does. */
export function describeEnding(sample: RecordedPair, side: Side): EpisodeEnding {
  return replaySide(sample, side)?.ending ?? rewardEnding(`reward ${sample[side].reward}`)
}

const rewardEnding = (why: string): EpisodeEnding => ({ why, shown: [], better: undefined })

/**
 * Replays a challenge for a side of a duel. Returns undefined if the challenge does not replay, its
 * id is malformed, or its environment is not registered. Never throws, for any messages.
 */
export function replaySide(sample: RecordedPair, side: Side): EpisodeCourse | undefined {
  const { env: name, challengeId, champion, contender } = sample
  if (registry.get(name)?.game === undefined) return replaySolo(sample, sample[side])
  if (!isChallengeId(challengeId)) return undefined
  const env = make(name)
  const recorded = { champion: champion.messages, contender: contender.messages }
  const replayed = replayGame(env, challengeId, recorded)
  if (!replayed.ok) return undefined
  const { reward } = replayed.value[side]
  if (SIDES.every((each) => recorded[each].length === 0))
    return { turns: [], moves: [], reward, ending: rewardEnding('the game was never begun') }
  return buildCourse({ env, origin: challengeId, recorded, players: 2 }, side, reward)
}

/** Replays a one-player episode, as `replaySide` does. */
export function replaySolo(played: SoloEpisode, episode: Transcript): EpisodeCourse | undefined {
  const { env: name, strength } = played
  if (!registry.has(name)) return undefined
  if ('challengeId' in played && !isChallengeId(played.challengeId)) return undefined
  const origin = 'seed' in played ? played.seed : played.challengeId
  const env = make(name, { strength })
  const replayed = replay(env, origin, episode.messages)
  if (!replayed.ok) return undefined
  const recorded = { champion: episode.messages, contender: [] }
  return buildCourse({ env, origin, recorded, players: 1 }, 'champion', replayed.value.reward)
}

interface RecordedEpisode {
  readonly env: Env
  readonly origin: EpisodeOrigin
  readonly recorded: PerSide<Transcript['messages']>
  readonly players: 1 | 2
}

function buildCourse(
  { env, origin, recorded, players }: RecordedEpisode,
  side: Side,
  reward: number,
): EpisodeCourse {
  const { spec } = env
  const left = {
    champion: listReplies(recorded.champion).values(),
    contender: listReplies(recorded.contender).values(),
  }
  const moves: GameMove[] = []
  const episode = playTurns(spec, origin, players)
  let now = episode.next()
  while (!now.done) {
    const { side: mover, state } = now.value
    const reply = left[mover].next().value
    const action = reply === undefined ? null : env.parse(reply)
    now = episode.next(action)
    const isForfeit = now.done === true && now.value.isForfeit
    const turn = judgeTurn(spec, { observation: spec.observe(state), reply, action }, isForfeit)
    moves.push({ side: mover, turn })
  }
  const { state: lastState, isForfeit } = now.value
  const last = spec.observe(lastState)
  const turns = moves.flatMap(({ side: mover, turn }) => (mover === side ? [turn] : []))
  const course = { turns, reward, ...(players === 2 && { moves }) }
  if (isForfeit && now.value.side !== side)
    return { ...course, ending: rewardEnding('won: the opponent forfeited') }
  const ending = describeOutcome(spec, { turns, last, reward })
  // In a one-turn episode, and after a forfeit, the last turn already has this picture.
  const hasMoved = spec.maxSteps > 1 && !isForfeit
  return { ...course, lastPicture: hasMoved ? spec.explain?.picture?.(last) : undefined, ending }
}
