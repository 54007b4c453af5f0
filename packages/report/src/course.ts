import {
  deriveSeed,
  type Env,
  isChallengeId,
  listReplies,
  make,
  type PerSide,
  type Picture,
  playTurns,
  type ReplayedSide,
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
  /** Last picture. Undefined without pictures, or if the last reply left the position unchanged. */
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
  /** Strength of the scripted opponent. Protocol §3.6. */
  readonly strength?: number | undefined
}

/** An episode of one player, identified by its challenge or its seed. */
type SoloEpisode = Omit<SoloRef, 'challengeId'> & (ChallengeRef | { readonly seed: bigint })

/**
 * Describes the ending of a one-player episode: only the reward if the episode does not replay, or
 * its id or environment is unknown. Never throws, for any messages.
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
  const seed = deriveSeed(challengeId)
  const replayed = replayGame(env, seed, recorded)
  if (!replayed.ok) return undefined
  return buildCourse({ env, seed, recorded, players: 2 }, side, replayed.value[side])
}

/** Replays a one-player episode, as `replaySide` does. */
export function replaySolo(played: SoloEpisode, episode: Transcript): EpisodeCourse | undefined {
  const { env: name, strength } = played
  if (!registry.has(name)) return undefined
  if ('challengeId' in played && !isChallengeId(played.challengeId)) return undefined
  const seed = 'seed' in played ? played.seed : deriveSeed(played.challengeId)
  const env = make(name, { strength })
  const replayed = replay(env, seed, episode.messages)
  if (!replayed.ok) return undefined
  const recorded = { champion: episode.messages, contender: [] }
  return buildCourse({ env, seed, recorded, players: 1 }, 'champion', replayed.value)
}

interface RecordedEpisode {
  readonly env: Env
  readonly seed: bigint
  readonly recorded: PerSide<Transcript['messages']>
  readonly players: 1 | 2
}

function buildCourse(
  { env, seed, recorded, players }: RecordedEpisode,
  side: Side,
  { reward, fault }: ReplayedSide,
): EpisodeCourse {
  const { spec } = env
  const left = {
    champion: listReplies(recorded.champion).values(),
    contender: listReplies(recorded.contender).values(),
  }
  const isUnbegun = SIDES.every((each) => recorded[each].length === 0)
  const moves: GameMove[] = []
  const episode = playTurns(spec, seed, players)
  let now = episode.next()
  while (!now.done && !isUnbegun) {
    const { side: mover, state } = now.value
    const reply = left[mover].next().value
    const action = reply === undefined ? null : env.parse(reply)
    now = episode.next(action)
    const isLegal = !now.done || !now.value.isForfeit
    const judged = reply === undefined ? undefined : { reply, action, isLegal }
    moves.push({ side: mover, turn: judgeTurn(env, spec.observe(state), judged) })
  }
  const last = spec.observe(now.value.state)
  const turns = moves.flatMap(({ side: mover, turn }) => (mover === side ? [turn] : []))
  const course = { turns, reward, ...(players === 2 && { moves }) }
  if (!now.done) return { ...course, ending: rewardEnding('the game was never begun') }
  const isRivalForfeit = now.value.isForfeit && now.value.side !== side
  if (isRivalForfeit) return { ...course, ending: rewardEnding('won: the opponent forfeited') }
  const ending = describeOutcome(spec, { turns, last, reward }, fault ? 'no-reply' : undefined)
  return { ...course, lastPicture: drawLast(spec, last, now.value), ending }
}

/** Draws the position after the last reply, if there are pictures and the position changed. */
function drawLast(
  { explain, maxSteps }: Env['spec'],
  observation: unknown,
  { isForfeit }: { readonly isForfeit: boolean },
): Picture | undefined {
  return maxSteps > 1 && !isForfeit ? explain?.picture?.(observation) : undefined
}
