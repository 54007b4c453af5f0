import { setTimeout as sleep } from 'node:timers/promises'
import type { BlockDraft, Sample, Scope } from '@affine/blocks'
import type { Duel } from '@affine/duel'
import { type Agent, challengeId, type EnvSpec, make, SIDES, type Side } from '@affine/envs'
import {
  type Asked,
  type LaneChallenge,
  type MinerAgent,
  playSample,
  Stopped,
  unbegunSample,
  withClock,
  withoutReplies,
} from '@affine/miners'
import { canonicalize, type Hash, type Json } from '@affine/prng'
import { clockMsOf, type GamesTime, gamesInTurn, hasRoom } from './games.ts'
import { openJournal } from './journal.ts'
import type { Setup } from './setup.ts'

/** One epoch's sampling: what to play, the journal, the agents, and the deadline. */
export interface LaneTask extends Pick<Setup, 'agent' | 'mayAsk' | 'hasChanged' | 'now' | 'on'> {
  readonly scope: Scope
  readonly duel: Pick<Duel, 'champion' | 'contender'>
  /** The digest of the templates that the miners' deployments may use. */
  readonly templates: Hash
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

/** All samples of a lane, and the time of the last. */
export type Sampled = Pick<BlockDraft, 'samples' | 'time'>

/**
 * Plays every challenge of a lane that its journal does not hold yet, side by side, games in turn,
 * and resolves with all samples and the time of the last. A sample counts once it is on
 * disk, so a killed process goes on where it stopped, and plays anew a game that was under way.
 * Each invocation id occurs once in a lane: a reply with an id that the lane has already is asked
 * for again. At the end, what the miners run is looked at again. Rejects when an agent rejects; the
 * samples played by then stay in the journal. Protocol §5.4.
 */
export async function sampleLane(task: LaneTask): Promise<Sampled> {
  const { scope, now, on } = task
  await using journal = await openLaneJournal(task.journalPath, scope)
  const entries: Entry[] = [...journal.entries]
  const take = samplerOf(task, entries)
  const played = new Set(entries.map(({ sample }) => sample.challengeId))
  const open = scheduleOf(task).filter((challenge) => !played.has(challenge.challengeId))
  let left = open.length

  const playOne = async (challenge: LaneChallenge): Promise<void> => {
    const entry = { sample: await take(challenge), at: now() }
    await journal.append(entry)
    entries.push(entry)
    left -= 1
    on({ type: 'sample', epoch: scope.epoch, sample: entry.sample, left })
  }
  const playing = open.map(playOne)
  await Promise.allSettled(playing)
  await Promise.all(playing)
  const samples = entries.map(({ sample }) => sample)
  return {
    samples: await lookAgain(samples, task, journal),
    time: Math.max(0, ...entries.map(({ at }) => at)),
  }
}

/** Every challenge of the lane. Protocol §4, with the indexes of §8.2. */
function scheduleOf({ scope, secret }: LaneTask): readonly LaneChallenge[] {
  const duel = scope.duel.id
  return Object.entries(scope.quota).flatMap(([env, quota]) => {
    const parts = { ...scope, env, specHash: scope.specHashes[env] ?? '', duel, secret }
    return Array.from({ length: quota }, (_, index) => ({
      env,
      duel,
      index,
      challengeId: challengeId({ ...parts, index }),
    }))
  })
}

/** What puts a challenge of the lane to both miners, or leaves a game unbegun. */
function samplerOf(
  task: LaneTask,
  entries: readonly Entry[],
): (challenge: LaneChallenge) => Promise<Sample> {
  const { duel, templates, deadline, gamesTime, mayAsk, now } = task
  const hotkeys = { champion: duel.champion.hotkey, contender: duel.contender.hotkey }
  const used = invocationsIn(entries)
  const inTurn = gamesInTurn(gamesTime)
  const askedAs = (role: Side): Asked => ({ ...duel[role], templates })

  const agentOf = (role: Side, { replyMs, game }: EnvSpec): Agent => {
    const agent = distinctAgent(task.agent(askedAs(role), replyMs, deadline), used, deadline)
    if (game === undefined) return agent
    return withClock(agent, { ...gamesTime, ms: clockMsOf(game, gamesTime), signal: deadline })
  }
  const play = (challenge: LaneChallenge, spec: EnvSpec): Promise<Sample> =>
    playSample(challenge, (role) => ({ ...duel[role], agent: agentOf(role, spec) }), now)
  const take = async (challenge: LaneChallenge): Promise<Sample> => {
    const { spec } = make(challenge.env)
    const { game } = spec
    if (game === undefined) return play(challenge, spec)
    // Before its turn: a look that hangs must keep no turn from another game.
    const looks = SIDES.map((role) => mayAsk?.(askedAs(role), deadline))
    const isAnyAsked = (await Promise.all(looks)).some((isAsked) => isAsked !== false)
    return inTurn(game, async () => {
      const isBegun = isAnyAsked && hasRoom(game, gamesTime) && !deadline.aborted
      return isBegun ? play(challenge, spec) : unbegunSample(challenge, hotkeys)
    })
  }
  return async (challenge) => {
    const sample = await take(challenge)
    const isComplete = SIDES.every((role) => sample[role].fault !== 'no-reply')
    // A reply that is missing because the validator stops is not the miner's fault.
    if (!isComplete && deadline.reason instanceof Stopped) throw deadline.reason
    return sample
  }
}

/**
 * An agent none of whose replies has an invocation id that is in `used`, to which it adds its own:
 * what has one is asked again, a second or two later, until the deadline, or the call's own end.
 * Protocol §5.4.
 */
function distinctAgent(agent: MinerAgent, used: Set<string>, deadline: AbortSignal): MinerAgent {
  return async (messages, until) => {
    for (;;) {
      const answer = await agent(messages, until)
      const id = 'fault' in answer ? undefined : answer.invocation
      if (id === undefined) return answer
      if (!used.has(id)) {
        used.add(id)
        return answer
      }
      const pauseMs = 1000 * (1 + Math.random())
      await sleep(pauseMs, undefined, { signal: until ?? deadline }).catch(() => {})
    }
  }
}

function invocationsIn(entries: readonly Entry[]): Set<string> {
  const messages = entries.flatMap(({ sample: { champion, contender } }) => [
    ...champion.messages,
    ...contender.messages,
  ])
  return new Set(messages.flatMap(({ invocation }) => invocation ?? []))
}

/**
 * The samples that a lane is made of once both miners' deployments have been looked at again: a
 * miner whose deployment was changed in the epoch has no replies. What was found is on disk first,
 * so that the lane comes out alike after a crash. Protocol §5.4.
 */
async function lookAgain(
  samples: readonly Sample[],
  { duel, templates, deadline, hasChanged }: LaneTask,
  journal: Awaited<ReturnType<typeof openLaneJournal>>,
): Promise<readonly Sample[]> {
  const look = async (role: Side): Promise<string[]> => {
    const isChanged = await hasChanged?.({ ...duel[role], templates }, deadline)
    return isChanged ? [duel[role].hotkey] : []
  }
  const changed = journal.changed ?? (await Promise.all(SIDES.map(look))).flat()
  if (journal.changed === undefined && hasChanged) await journal.appendChanged(changed)
  if (changed.length === 0) return samples
  return Promise.all(samples.map((sample) => withoutReplies(sample, changed)))
}

/**
 * Opens the journal of the lane that `scope` describes, making it if it is not there.
 * @throws Error when it is another lane's, or was altered.
 */
async function openLaneJournal(path: string, { beacon, commitment, duel, epoch }: Scope) {
  const heading: Json = { beacon, commitment, duel: duel.id, epoch }
  const journal = await openJournal(path)
  try {
    const [first, ...rest] = journal.entries
    if (first === undefined) await journal.append(heading)
    else if (canonicalize(first) !== canonicalize(heading))
      throw new Error(`${path} belongs to another epoch, duel or chain: move it away`)
    const changed = changedIn(rest.at(-1))
    if (changed !== undefined) rest.pop()
    return {
      entries: rest.map((entry, i) => readEntry(entry, `${path}, line ${i + 2}`)),
      /** What the second look had found by then: none of these miners' replies counts. */
      changed,
      append: (entry: Entry) => journal.append(entry as unknown as Json),
      /** Of the miners whose deployments were changed: the last entry. */
      appendChanged: (miners: readonly string[]) => journal.append({ changed: miners }),
      [Symbol.asyncDispose]: () => journal[Symbol.asyncDispose](),
    }
  } catch (error) {
    await journal[Symbol.asyncDispose]()
    throw error
  }
}

/** What the second look found, if an entry says that. */
function changedIn(entry: Json | undefined): readonly string[] | undefined {
  const { changed } = Object(entry) as { readonly changed?: readonly string[] }
  return Array.isArray(changed) ? changed : undefined
}

/** Checks only what the sampling relies on: the check of the whole lane checks each sample. */
function readEntry(entry: Json, place: string): Entry {
  const { at, sample } = entry as unknown as Entry
  if (Number.isSafeInteger(at) && isEpisode(sample?.champion) && isEpisode(sample.contender))
    return { at, sample }
  throw new Error(`${place}: not a sample. The journal was altered; move it away to start anew`)
}

const isEpisode = (episode: Sample['champion'] | undefined): boolean =>
  Array.isArray(episode?.messages)
