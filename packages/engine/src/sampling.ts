import { setTimeout as sleep } from 'node:timers/promises'
import {
  type BlockDraft,
  type Episode,
  episodesIn,
  type LaneChallenge,
  laneEnvs,
  type PlannedSample,
  planOf,
  type Sample,
  type Scope,
} from '@affine/blocks'
import { type EnvSpec, type GameRules, make, type PerSide } from '@affine/envs'
import {
  type AnsweringMiner,
  type Asked,
  limitByClock,
  type MinerAgent,
  playEpisode,
  playPair,
  removeReplies,
  Stopped,
  skipGame,
} from '@affine/miners'
import { AlteredFile, type Journal, openJournal } from '@affine/node/disk'
import { canonicalize, digest, type Hash, type Json } from '@affine/prng'
import {
  type GameSchedule,
  type GamesTime,
  hasTimeLeft,
  limitClockMs,
  scheduleGames,
} from './games.ts'
import type { Setup } from './setup.ts'

/** One epoch's sampling: what to play, the journal, the agents, and the deadline. */
export interface LaneTask extends Pick<Setup, 'agent' | 'mayAsk' | 'hasChanged' | 'now' | 'on'> {
  readonly scope: Scope
  /** All that play in the lane: the champion and the contenders. */
  readonly miners: readonly Asked[]
  readonly secret: Hash
  readonly journalPath: string
  /**
   * Aborts when the sampling phase is over: what has no reply by then is a fault, unless it is
   * `Stopped`.
   */
  readonly deadline: AbortSignal
  readonly gamesTime: GamesTime
}

/** A sample, and when it was taken, in milliseconds. */
interface Entry {
  readonly at: number
  readonly sample: Sample
}

/** All samples of a lane in the order of its plan, and the time of the last. */
export type SampledLane = Pick<BlockDraft, 'samples' | 'time'>

/** A sample that is due: what the plan says of it, and its challenge. */
type DueSample = PlannedSample & LaneChallenge

/**
 * Takes every sample of a lane that its journal does not hold yet, side by side, games in turn, and
 * resolves with all samples and the time of the last. A sample counts once it is on disk, so a
 * killed process goes on where it stopped, and plays anew a game that was under way. Each
 * invocation id occurs once in a lane: a reply with an id that the lane has already is asked for
 * again. At the end, what the miners run is looked at again. Rejects when an agent rejects; the
 * samples taken by then stay in the journal. Protocol §5.4.
 */
export async function sampleLane(task: LaneTask): Promise<SampledLane> {
  const { scope, now, on } = task
  await using journal = await openJournal(task.journalPath)
  const kept = await readJournal(journal, task)
  const entries: Entry[] = [...kept.entries]
  const taking: { readonly due: DueSample; readonly taken: Promise<Sample> }[] = []
  const waitForFirstReply = (hotkey: string): Promise<void> =>
    waitForReply(taking.flatMap(({ due, taken }) => (isEpisodeOf(due, hotkey) ? taken : [])))
  const take = createSampler(task, entries, waitForFirstReply)
  const taken = new Set(entries.map(({ sample }) => getSampleKey(sample)))
  const plan = listDueSamples(task)
  const open = shuffleGamesLast(plan.filter((due) => !taken.has(getSampleKey(due))))
  let left = open.length

  const keep = async (taken: Promise<Sample>): Promise<void> => {
    const entry = { sample: await taken, at: now() }
    await journal.append(entry as unknown as Json)
    entries.push(entry)
    left -= 1
    const { epoch, champion } = scope
    on({ type: 'sample', epoch, sample: entry.sample, champion, left })
  }
  for (const due of open) taking.push({ due, taken: take(due) })
  const keeping = taking.map(({ taken }) => keep(taken))
  await Promise.allSettled(keeping)
  await Promise.all(keeping)
  const changed = kept.changed ?? (await recheckDeployments(task, journal))
  const samples = sortByPlan(plan, entries).map((sample) => removeReplies(sample, changed))
  return {
    samples: await Promise.all(samples),
    time: Math.max(0, ...entries.map(({ at }) => at)),
  }
}

/** Every sample of the lane, in the order of the plan. Protocol §4, §6.5. */
function listDueSamples({ scope, secret }: LaneTask): readonly DueSample[] {
  const envs = laneEnvs(scope, secret)
  return planOf(scope).map((planned) => {
    const challengeId = envs.get(planned.env)?.idOf(planned) ?? ''
    return { ...planned, challengeId }
  })
}

/** In a lane no two samples have the same name. */
const getSampleKey = (sample: Sample | DueSample): string =>
  'miner' in sample ? `${sample.challengeId} ${sample.miner}` : sample.challengeId

const isEpisodeOf = (due: DueSample, hotkey: string): boolean =>
  'miner' in due && due.miner === hotkey

/**
 * Resolves when the first of a miner's samples has a reply, so that the miner is awake. Without one
 * it resolves when all have ended, since nothing else would tell.
 */
async function waitForReply(samples: readonly Promise<Sample>[]): Promise<void> {
  const replies = samples.map(async (taken) => {
    const hasReply = episodesIn(await taken).some(({ messages }) => messages.length > 1)
    if (!hasReply) throw new Error('no reply')
  })
  await Promise.any(replies).catch(() => {})
}

/**
 * Games last, since they wait for a reply to another sample. Each kind is in an order over all
 * environments that follows from the secret, as the challenge ids do: so no outage falls on a
 * chosen environment or miner. Protocol §5.4.
 */
function shuffleGamesLast(open: readonly DueSample[]): readonly DueSample[] {
  const ranked = open.map((due) => {
    const kind = 'miner' in due ? 0 : 1
    return { due, rank: `${kind} ${digest('order', getSampleKey(due))}` }
  })
  ranked.sort((a, b) => (a.rank < b.rank ? -1 : 1))
  return ranked.map(({ due }) => due)
}

/** What the plan does not have comes last: the check of the whole lane finds it there. */
function sortByPlan(plan: readonly DueSample[], entries: readonly Entry[]): readonly Sample[] {
  const places = new Map(plan.map((due, place) => [getSampleKey(due), place]))
  const placeOf = (sample: Sample): number => places.get(getSampleKey(sample)) ?? plan.length
  return entries.map(({ sample }) => sample).sort((a, b) => placeOf(a) - placeOf(b))
}

/**
 * Returns what takes a sample of the lane, or leaves a game unbegun. Games of a miner wait for
 * `waitForFirstReply`.
 */
function createSampler(
  task: LaneTask,
  entries: readonly Entry[],
  waitForFirstReply: (hotkey: string) => Promise<void>,
): (due: DueSample) => Promise<Sample> {
  const { miners, deadline, gamesTime, mayAsk, now } = task
  const used = listInvocations(entries)
  const asked = new Map(miners.map((miner) => [miner.hotkey, miner]))
  const scheduleFor = createGameScheduler(task, waitForFirstReply)
  // The plan is of these miners.
  const getMiner = (hotkey: string): Asked => asked.get(hotkey) as Asked

  const context = { epoch: task.scope.epoch, signal: deadline }
  const prepare = (hotkey: string, { replyMs, game }: EnvSpec): AnsweringMiner => {
    const agent = dedupeReplies(task.agent(getMiner(hotkey), replyMs, context), used, deadline)
    if (game === undefined) return { hotkey, agent }
    const clock = { ...gamesTime, ms: limitClockMs(game, gamesTime), signal: deadline }
    return { hotkey, agent: limitByClock(agent, clock) }
  }
  const takeEpisode = async (challenge: LaneChallenge, hotkey: string): Promise<Sample> => {
    const player = prepare(hotkey, make(challenge.env).spec)
    return { ...challenge, ...(await playEpisode(challenge, player, now)) }
  }
  const takeGame = async (challenge: LaneChallenge, hotkeys: PerSide<string>): Promise<Sample> => {
    const { spec } = make(challenge.env)
    // The plan has games in no other environments.
    const game = spec.game as GameRules
    const { champion, contender } = hotkeys
    const { started, inTurn } = scheduleFor(hotkeys)
    await started
    // Before its turn: a look that hangs must keep no turn from another game.
    const looks = [champion, contender].map((hotkey) => mayAsk?.(getMiner(hotkey), context))
    const isAnyAsked = (await Promise.all(looks)).some((isAsked) => isAsked !== false)
    return inTurn(game, async () => {
      const isBegun = isAnyAsked && hasTimeLeft(game, gamesTime) && !deadline.aborted
      if (!isBegun) return skipGame(challenge, hotkeys)
      const players = {
        champion: prepare(champion, spec),
        contender: prepare(contender, spec),
      }
      return playPair(challenge, players, now)
    })
  }
  return async (due) => {
    const { env, index, challengeId } = due
    const challenge = { env, index, challengeId }
    const isAlone = 'miner' in due
    const sample = await (isAlone ? takeEpisode(challenge, due.miner) : takeGame(challenge, due))
    const isComplete = episodesIn(sample).every(({ fault }) => fault !== 'no-reply')
    // A reply that is missing because the validator stops is not the miner's fault.
    if (!isComplete && deadline.reason instanceof Stopped) throw deadline.reason
    return sample
  }
}

/** Returns what gives the games of a contender, which wait for both players' first replies. */
function createGameScheduler(
  { scope, gamesTime }: LaneTask,
  waitForFirstReply: (hotkey: string) => Promise<void>,
): (hotkeys: PerSide<string>) => GameSchedule {
  const known = new Map<string, GameSchedule>()
  return ({ champion, contender }) => {
    const games = known.get(contender)
    if (games !== undefined) return games
    const replies = Promise.all([waitForFirstReply(champion), waitForFirstReply(contender)])
    const begun = scheduleGames(scope.quotas[contender] ?? {}, gamesTime, replies)
    known.set(contender, begun)
    return begun
  }
}

/**
 * An agent none of whose replies has an invocation id that is in `used`, to which it adds its own:
 * what has one is asked again, a second or two later, until the deadline, or the call's own end.
 * Protocol §5.4.
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
  const episodes = entries.flatMap(({ sample }) => episodesIn(sample))
  const messages = episodes.flatMap((episode) => episode.messages)
  return new Set(messages.flatMap(({ invocation }) => invocation ?? []))
}

/**
 * Looks at all miners' deployments again. Returns those that were changed in the epoch: none of
 * their replies counts. What was found is on disk first, so that the lane comes out alike after a
 * crash. Protocol §5.4.
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
 * What the journal of a lane holds: samples, and what the second look had found, if it was over. A
 * new one gets its heading.
 * @throws AlteredFile also when it is another lane's.
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

/** What the second look found, if an entry says that. */
function readChanged(entry: Json | undefined): readonly string[] | undefined {
  const { changed } = Object(entry) as { readonly changed?: readonly string[] }
  return Array.isArray(changed) ? changed : undefined
}

/** Checks only what the sampling relies on: the check of the whole lane checks each sample. */
function readEntry(entry: Json, place: string): Entry {
  const { at, sample } = Object(entry) as Entry
  const isSample =
    Object.hasOwn(Object(sample), 'challengeId') && episodesIn(sample).every(isEpisode)
  if (Number.isSafeInteger(at) && isSample) return { at, sample }
  throw new AlteredFile(place, 'NOT_A_SAMPLE', 'not a sample')
}

const isEpisode = (episode: Episode | undefined): boolean => Array.isArray(episode?.messages)
