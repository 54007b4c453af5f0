import { setTimeout as sleep } from 'node:timers/promises'
import {
  type BlockDraft,
  type LaneChallenge,
  listEpisodes,
  makeLaneEnvs,
  type PlannedSample,
  planLane,
  type Sample,
  type Scope,
} from '@affine/blocks'
import { type EnvSpec, type GameRules, make } from '@affine/envs'
import {
  type AnsweringMiner,
  limitByClock,
  type MinerAgent,
  playEpisode,
  playPair,
  removeReplies,
  StopError,
  skipGame,
  type TargetMiner,
} from '@affine/miners'
import { AlteredFile, type Journal, openJournal } from '@affine/node/disk'
import { canonicalize, digest, type Hash, type Json } from '@affine/prng'
import { type GameSchedule, type GamesTime, hasTimeLeft, limitClockMs, planGames } from './games.ts'
import type { Setup } from './setup.ts'

/** The sampling of one epoch. */
export interface LaneTask extends Pick<Setup, 'agent' | 'mayAsk' | 'hasChanged' | 'now' | 'on'> {
  readonly scope: Scope
  /** The champion and the contenders. */
  readonly miners: readonly TargetMiner[]
  readonly secret: Hash
  readonly journalPath: string
  /**
   * Aborts when sampling ends. A missing reply then is a forfeit of the miner, unless the reason of
   * the abort is a `StopError`.
   */
  readonly deadline: AbortSignal
  readonly gamesTime: GamesTime
}

/** A sample, and the time when it was taken, in milliseconds. */
interface Entry {
  readonly at: number
  readonly sample: Sample
}

/** All samples of a lane in the order of its plan, and the latest time. */
export type SampledLane = Pick<BlockDraft, 'samples' | 'time'>

type DueSample = PlannedSample & LaneChallenge
type DueEpisode = Extract<DueSample, { readonly miner: string }>
type DueGame = Exclude<DueSample, DueEpisode>

/**
 * Takes every sample that is not yet in the lane's journal. Episodes run concurrently. A
 * contender's games begin after both players' first replies, a few at a time. A sample counts once
 * it is on disk, so a restarted process continues where it stopped and plays an unfinished game
 * again. Each invocation id occurs once in a lane: a reply with a used id is requested again. At
 * the end, the miners' deployments are checked again, and the replies of changed ones removed.
 * Rejects if an agent rejects; the journal retains all other samples. Protocol §5.4.
 */
export async function sampleLane(task: LaneTask): Promise<SampledLane> {
  const { scope, deadline, now, on } = task
  await using journal = await openJournal(task.journalPath)
  const journaled = await readJournal(journal, task)
  const entries: Entry[] = [...journaled.entries]
  const plan = listDue(task)
  const known = new Set(entries.map(({ sample }) => getSampleKey(sample)))
  const open = shuffle(plan.filter((due) => !known.has(getSampleKey(due))))

  const store = async (taking: Promise<Sample>): Promise<void> => {
    const sample = await taking
    const isComplete = listEpisodes(sample).every(({ fault }) => fault !== 'no-reply')
    // A reply that is missing because the validator stops is no forfeit of the miner.
    if (!isComplete && deadline.reason instanceof StopError) throw deadline.reason
    const entry = { sample, at: now() }
    await journal.append(entry as unknown as Json)
    entries.push(entry)
    const { epoch, champion } = scope
    on({ type: 'sample', epoch, sample, champion, left: plan.length - entries.length })
  }
  const storing = startSamples(open, task, entries).map(store)
  await Promise.allSettled(storing)
  await Promise.all(storing)
  const changed = journaled.changed ?? (await recheckDeployments(task, journal))
  const samples = sortByPlan(plan, entries).map((sample) => removeReplies(sample, changed))
  return {
    samples: await Promise.all(samples),
    time: Math.max(0, ...entries.map(({ at }) => at)),
  }
}

/** Returns the planned samples of the lane with their challenges. Protocol §4, §6.5. */
function listDue({ scope, secret }: LaneTask): readonly DueSample[] {
  const envs = makeLaneEnvs(scope, secret)
  return planLane(scope).map((planned) => {
    const challengeId = envs.get(planned.env)?.challengeAt(planned).id ?? ''
    return { ...planned, challengeId }
  })
}

/** Returns a key that is unique in a lane. */
const getSampleKey = (sample: Sample | DueSample): string =>
  'miner' in sample ? `${sample.challengeId} ${sample.miner}` : sample.challengeId

/**
 * Resolves when a sample has a reply, which shows that its miner is awake, or when all have ended.
 */
async function waitForReply(samples: readonly Promise<Sample>[]): Promise<void> {
  const replies = samples.map(async (taken) => {
    const hasReply = listEpisodes(await taken).some(({ messages }) => messages.length > 1)
    if (!hasReply) throw new Error('no reply')
  })
  await Promise.any(replies).catch(() => {})
}

/**
 * Returns samples in an order that follows from the secret, as the challenge ids do, so no one can
 * choose whose samples an outage affects. Protocol §5.4.
 */
function shuffle(open: readonly DueSample[]): readonly DueSample[] {
  const ranked = open.map((due) => ({ due, rank: digest('order', getSampleKey(due)) }))
  return ranked.sort((a, b) => (a.rank < b.rank ? -1 : 1)).map(({ due }) => due)
}

/**
 * Returns samples in the order of the plan. A sample outside the plan is last: the lane check
 * reports it.
 */
function sortByPlan(plan: readonly DueSample[], entries: readonly Entry[]): readonly Sample[] {
  const places = new Map(plan.map((due, place) => [getSampleKey(due), place]))
  const placeOf = (sample: Sample): number => places.get(getSampleKey(sample)) ?? plan.length
  return entries.map(({ sample }) => sample).sort((a, b) => placeOf(a) - placeOf(b))
}

/**
 * Starts to take samples, in the order of `open`, but games last: a contender's games wait for the
 * first replies of both players to other samples. Protocol §5.4.
 */
function startSamples(
  open: readonly DueSample[],
  task: LaneTask,
  entries: readonly Entry[],
): readonly Promise<Sample>[] {
  const { scope, gamesTime } = task
  const { takeEpisode, takeGame } = createSampler(task, listInvocations(entries))
  const episodes = open.flatMap((due) =>
    'miner' in due ? { miner: due.miner, taking: takeEpisode(due) } : [],
  )
  const waitForFirstReply = (hotkey: string): Promise<void> =>
    waitForReply(episodes.flatMap(({ miner, taking }) => (miner === hotkey ? taking : [])))
  const schedules = new Map<string, GameSchedule>()
  const games = open.flatMap((due) => {
    if ('miner' in due) return []
    const { champion, contender } = due
    const waitForBoth = () => Promise.all([champion, contender].map(waitForFirstReply))
    const quotas = scope.quotas[contender] ?? {}
    const schedule = schedules.get(contender) ?? planGames(quotas, gamesTime, waitForBoth())
    schedules.set(contender, schedule)
    return takeGame(due, schedule)
  })
  return [...episodes.map(({ taking }) => taking), ...games]
}

/**
 * Returns functions that take a sample. `takeGame` does not begin the game if neither miner may be
 * asked, or if too little time is left.
 */
function createSampler(task: LaneTask, used: Set<string>) {
  const { miners, deadline, gamesTime, mayAsk, now } = task
  const byHotkey = new Map(miners.map((miner) => [miner.hotkey, miner]))
  // The cast is safe: the plan names only these miners.
  const getMiner = (hotkey: string): TargetMiner => byHotkey.get(hotkey) as TargetMiner

  const context = { epoch: task.scope.epoch, signal: deadline }
  const prepare = (hotkey: string, { replyMs, game }: EnvSpec): AnsweringMiner => {
    const agent = dedupeReplies(task.agent(getMiner(hotkey), replyMs, context), used, deadline)
    if (game === undefined) return { hotkey, agent }
    const clock = { ...gamesTime, ms: limitClockMs(game, gamesTime), signal: deadline }
    return { hotkey, agent: limitByClock(agent, clock) }
  }
  const takeEpisode = async (due: DueEpisode): Promise<Sample> => {
    const player = prepare(due.miner, make(due.env).spec)
    return { ...due, ...(await playEpisode(due, player, now)) }
  }
  const takeGame = async (due: DueGame, { started, inTurn }: GameSchedule): Promise<Sample> => {
    const { spec } = make(due.env)
    // The cast is safe: the plan has games only in environments with game rules.
    const game = spec.game as GameRules
    const { champion, contender } = due
    await started
    // Deployments are checked before the turn, so a hanging check does not block other games.
    const checks = [champion, contender].map((hotkey) => mayAsk?.(getMiner(hotkey), context))
    const isAnyAsked = (await Promise.all(checks)).some((isAsked) => isAsked !== false)
    return inTurn(game, async () => {
      const isBegun = isAnyAsked && hasTimeLeft(game, gamesTime) && !deadline.aborted
      if (!isBegun) return skipGame(due, due)
      const players = { champion: prepare(champion, spec), contender: prepare(contender, spec) }
      return playPair(due, players, now)
    })
  }
  return { takeEpisode, takeGame }
}

/**
 * Returns an agent whose replies have no invocation id in `used`, and adds their ids to `used`. A
 * reply with a used id is requested again after one to two seconds, until the deadline or the end
 * of the call. Protocol §5.4.
 */
function dedupeReplies(agent: MinerAgent, used: Set<string>, deadline: AbortSignal): MinerAgent {
  return async (messages, call) => {
    for (;;) {
      const answer = await agent(messages, call)
      const id = 'fault' in answer ? undefined : answer.invocation
      if (id === undefined) return answer
      if (!used.has(id)) {
        used.add(id)
        return answer
      }
      const pauseMs = 1000 * (1 + Math.random())
      await sleep(pauseMs, undefined, { signal: call?.end ?? deadline }).catch(() => {})
    }
  }
}

function listInvocations(entries: readonly Entry[]): Set<string> {
  const episodes = entries.flatMap(({ sample }) => listEpisodes(sample))
  const messages = episodes.flatMap((episode) => episode.messages)
  return new Set(messages.flatMap(({ invocation }) => invocation ?? []))
}

/**
 * Checks all miners' deployments again. Returns the hotkeys of the miners whose deployment changed
 * in the epoch: none of their replies counts. Stores the result in the journal first, so that the
 * same lane results after a crash. Protocol §5.4.
 */
async function recheckDeployments(
  { scope, miners, deadline, hasChanged }: LaneTask,
  journal: Journal,
): Promise<readonly string[]> {
  if (hasChanged === undefined) return []
  const context = { epoch: scope.epoch, signal: deadline }
  const isChanged = await Promise.all(miners.map((miner) => hasChanged(miner, context)))
  const changed = miners.map(({ hotkey }) => hotkey).filter((_, i) => isChanged[i])
  await journal.append({ changed })
  return changed
}

/**
 * Returns the samples in the journal of a lane, and the result of the second deployment check, if
 * any. Writes the heading of a new journal.
 * @throws AlteredFile if the journal was altered, or belongs to another lane.
 */
async function readJournal(journal: Journal, { scope, journalPath: path }: LaneTask) {
  const { beacon, champion, commitment, epoch, quotas } = scope
  const heading: Json = { beacon, champion, commitment, epoch, quotas }
  const [first, ...rest] = journal.entries
  if (first === undefined) await journal.append(heading)
  else if (canonicalize(first) !== canonicalize(heading))
    throw new AlteredFile(path, 'OTHER_LANE', 'it belongs to another epoch, plan or chain')
  const changed = readChanged(rest.at(-1))
  if (changed !== undefined) rest.pop()
  return { entries: rest.map((entry, i) => readEntry(entry, `${path}, line ${i + 2}`)), changed }
}

/** Returns the result of the second deployment check, or undefined for another entry. */
function readChanged(entry: Json | undefined): readonly string[] | undefined {
  const { changed } = Object(entry) as { readonly changed?: readonly string[] }
  return Array.isArray(changed) ? changed : undefined
}

/** Reads an entry, and checks the fields that sampling uses. The lane check verifies the sample. */
function readEntry(entry: Json, place: string): Entry {
  const { at, sample } = Object(entry) as Entry
  const isSample =
    Object.hasOwn(Object(sample), 'challengeId') &&
    listEpisodes(sample).every((episode) => Array.isArray(Object(episode).messages))
  if (Number.isSafeInteger(at) && isSample) return { at, sample }
  throw new AlteredFile(place, 'NOT_A_SAMPLE', 'not a sample')
}
