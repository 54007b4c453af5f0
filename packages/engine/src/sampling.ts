import type { BlockDraft, Sample, Scope } from '@affine/blocks'
import type { Duel } from '@affine/duel'
import { challengeId, registry } from '@affine/envs'
import { type LaneChallenge, playSample, type Sides } from '@affine/miners'
import type { Hash } from '@affine/prng'
import { distinctAgents } from './invocations.ts'
import { type Entry, openLaneJournal } from './lane-journal.ts'
import { lookAgain } from './second-look.ts'
import type { Setup } from './setup.ts'

/**
 * The reason for ending a sampling phase early: the validator is stopping. The lane goes on when it
 * is started again.
 */
export class Stopped extends Error {}

/** One epoch's sampling: what to play, the journal, the agents, and the deadline. */
export interface LaneTask extends Pick<Setup, 'agent' | 'hasChanged' | 'now' | 'on'> {
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
}

/** All samples of a lane, and the time of the last. */
export type Sampled = Pick<BlockDraft, 'samples' | 'time'>

/**
 * Plays every challenge of a lane that its journal does not hold yet, all side by side, and
 * resolves with all samples and the time of the last. A sample counts once it is on disk, so a
 * killed process goes on where it stopped. Each invocation id occurs once in a lane: a reply with
 * an id that the lane has already is asked for again. At the end, what the miners run is looked at
 * again. Rejects when an agent rejects; the samples played by then stay in the journal.
 */
export async function sampleLane(task: LaneTask): Promise<Sampled> {
  const { scope, duel, templates, deadline, now, on } = task
  await using journal = await openLaneJournal(task.journalPath, scope)
  const entries: Entry[] = [...journal.entries]
  const distinct = distinctAgents(entries, deadline)
  const played = new Set(entries.map(({ sample }) => sample.challengeId))
  const open = scheduleOf(task).filter((challenge) => !played.has(challenge.challengeId))
  let left = open.length

  const playOne = async (challenge: LaneChallenge): Promise<void> => {
    const replyMs = registry.get(challenge.env)?.replyMs ?? 0
    const sides: Sides = (role) => {
      const miner = duel[role]
      return { ...miner, agent: distinct(task.agent({ ...miner, templates }, replyMs, deadline)) }
    }
    const sample = await playSample(challenge, sides, now)
    // A reply that is missing because the validator stops is not the miner's fault.
    if (lacksReply(sample) && deadline.reason instanceof Stopped) throw deadline.reason
    const entry = { at: now(), sample }
    await journal.append(entry)
    entries.push(entry)
    left -= 1
    on({ type: 'sample', epoch: scope.epoch, sample, left })
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

const lacksReply = ({ champion, contender }: Sample): boolean =>
  champion.fault === 'no-reply' || contender.fault === 'no-reply'
