import type { BlockDraft, Sample, Scope } from '@affine/blocks'
import type { Duel } from '@affine/duel'
import { type Agent, challengeId, type EnvSpec, make, SIDES, type Side } from '@affine/envs'
import {
  type Asked,
  type LaneChallenge,
  playSample,
  type Sides,
  Stopped,
  unbegunSample,
  withClock,
} from '@affine/miners'
import type { Hash } from '@affine/prng'
import { clockMsOf, type GamesTime, gamesInTurn, hasRoom } from './games.ts'
import { distinctAgents } from './invocations.ts'
import { type Entry, openLaneJournal } from './lane-journal.ts'
import { lookAgain } from './second-look.ts'
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
  const playGame = gamesInTurn(task.gamesTime)
  const playing = open.map((challenge) => {
    const { game } = make(challenge.env).spec
    const play = () => playOne(challenge)
    return game === undefined ? play() : playGame(game, play)
  })
  await Promise.allSettled(playing)
  await Promise.all(playing)
  const samples = entries.map(({ sample }) => sample)
  return {
    samples: await lookAgain(samples, task, journal),
    time: Math.max(0, ...entries.map(({ at }) => at)),
  }
}

/** What puts a challenge of the lane to both miners, or leaves a game unbegun. */
function samplerOf(
  task: LaneTask,
  entries: readonly Entry[],
): (challenge: LaneChallenge) => Promise<Sample> {
  const { duel, templates, deadline, gamesTime, mayAsk, now } = task
  const distinct = distinctAgents(entries, deadline)
  const askedAs = (role: Side): Asked => ({ ...duel[role], templates })
  const agentOf = (role: Side, { replyMs, game }: EnvSpec): Agent => {
    const agent = distinct(task.agent(askedAs(role), replyMs, deadline))
    if (game === undefined) return agent
    return withClock(agent, { ...gamesTime, ms: clockMsOf(game, gamesTime), signal: deadline })
  }
  const isBegun = async ({ game }: EnvSpec): Promise<boolean> => {
    if (game === undefined) return true
    const looks = SIDES.map((role) => mayAsk?.(askedAs(role), deadline))
    const isAnyAsked = (await Promise.all(looks)).some((isAsked) => isAsked !== false)
    return isAnyAsked && hasRoom(game, gamesTime) && !deadline.aborted
  }
  return async (challenge) => {
    const { spec } = make(challenge.env)
    const sides: Sides = (role) => ({ ...duel[role], agent: agentOf(role, spec) })
    const hotkeys = { champion: duel.champion.hotkey, contender: duel.contender.hotkey }
    const sample = (await isBegun(spec))
      ? await playSample(challenge, sides, now)
      : unbegunSample(challenge, hotkeys)
    // A reply that is missing because the validator stops is not the miner's fault.
    if (lacksReply(sample) && deadline.reason instanceof Stopped) throw deadline.reason
    return sample
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

const lacksReply = ({ champion, contender }: Sample): boolean =>
  champion.fault === 'no-reply' || contender.fault === 'no-reply'
