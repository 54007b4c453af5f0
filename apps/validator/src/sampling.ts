import { setTimeout as sleep } from 'node:timers/promises'
import type { BlockDraft, Sample, Scope } from '@affine/blocks'
import type { Duel } from '@affine/duel'
import { type Agent, challengeId, make, play, registry } from '@affine/envs'
import { canonicalize, type Hash, type Json } from '@affine/prng'
import { openJournal } from './journal.ts'
import type { Setup } from './setup.ts'

type Challenge = Pick<Sample, 'env' | 'duel' | 'index' | 'challengeId'>
export type Role = 'champion' | 'contender'
/** Whose episode it is, and who answers. */
export type Sides = (role: Role) => { readonly hotkey: string; readonly agent: Agent }

/** Puts one challenge to both miners, at the same time and apart from each other. */
export async function playSample(
  challenge: Challenge,
  sides: Sides,
  now: () => number,
): Promise<Sample> {
  const episode = async (role: Role): Promise<Sample[Role]> => {
    const { hotkey, agent } = sides(role)
    const started = now()
    const transcript = await play(make(challenge.env), challenge.challengeId, agent)
    return { miner: hotkey, ...transcript, ms: Math.max(0, now() - started) }
  }
  const [champion, contender] = await Promise.all([episode('champion'), episode('contender')])
  const lead = contender.reward - champion.reward
  return {
    ...challenge,
    champion,
    contender,
    verdict: lead > 0 ? 'win' : lead < 0 ? 'loss' : 'tie',
  }
}

/**
 * Why a sampling phase ends before its time: the validator is about to end. It goes on once it is
 * started again.
 */
export class Stopped extends Error {}

/** One epoch's sampling: what to play, where to note it, whom to ask, and until when. */
export interface LaneTask extends Pick<Setup, 'agent' | 'now' | 'on'> {
  readonly scope: Scope
  readonly duel: Pick<Duel, 'champion' | 'contender'>
  readonly secret: Hash
  readonly journalPath: string
  /**
   * Aborts when the sampling phase is over: what has no reply by then is a fault, unless it is
   * `Stopped`.
   */
  readonly deadline: AbortSignal
}

/**
 * Plays every challenge of a lane that its journal does not hold yet, all side by side, and
 * resolves with all samples and the time of the last. A sample counts once it is on disk, so a
 * killed process goes on where it stopped. The id of an invocation stands in one place only: a
 * reply under one that the lane has already is asked for again. Rejects when an agent does, with a
 * lane that is not whole: what was played by then stays in the journal.
 */
export async function sampleLane(task: LaneTask): Promise<Pick<BlockDraft, 'samples' | 'time'>> {
  const { scope, duel: miners, secret, journalPath, deadline, now, on } = task
  const duel = scope.duel.id
  await using journal = await openJournal(journalPath)
  const [first, ...kept] = journal.entries
  const heading = { beacon: scope.beacon, commitment: scope.commitment, duel, epoch: scope.epoch }
  if (first === undefined) await journal.append(heading)
  else if (canonicalize(first) !== canonicalize(heading)) {
    throw new Error(`${journalPath} belongs to another epoch, duel or chain: move it away`)
  }
  const entries = kept as unknown as { readonly at: number; readonly sample: Sample }[]
  const isEpisode = (episode?: Sample[Role]) => Array.isArray(episode?.messages)
  const strange = entries.findIndex(
    ({ at, sample }) =>
      !(Number.isSafeInteger(at) && isEpisode(sample?.champion) && isEpisode(sample.contender)),
  )
  if (strange !== -1)
    throw new Error(
      `${journalPath}, line ${strange + 2}: no sample. The journal was altered; move it away to start anew`,
    )
  const replies = entries.flatMap(({ sample }) => [
    ...sample.champion.messages,
    ...sample.contender.messages,
  ])
  const used = new Set(replies.map(({ invocation }) => invocation))
  const distinct =
    (agent: Agent, pauseMs = 200): Agent =>
    async (messages) => {
      const answer = await agent(messages)
      if ('fault' in answer || answer.invocation === undefined) return answer
      if (used.size < used.add(answer.invocation).size) return answer
      await sleep(pauseMs * (1 + Math.random()), undefined, { signal: deadline }).catch(() => {})
      return distinct(agent, Math.min(2 * pauseMs, 30_000))(messages)
    }
  const done = new Set(entries.map(({ sample }) => sample.challengeId))
  const schedule = Object.entries(scope.quota).flatMap(([env, quota]) =>
    Array.from({ length: quota }, (_, index): Challenge => {
      const specHash = scope.specHashes[env] ?? ''
      return {
        env,
        duel,
        index,
        challengeId: challengeId({ ...scope, env, specHash, duel, secret, index }),
      }
    }),
  )
  const open = schedule.filter((challenge) => !done.has(challenge.challengeId))
  let left = open.length
  const playOne = async (challenge: Challenge): Promise<void> => {
    const replyMs = registry.get(challenge.env)?.replyMs ?? 0
    const sides: Sides = (role) => ({
      ...miners[role],
      agent: distinct(task.agent(miners[role], replyMs, deadline)),
    })
    const sample = await playSample(challenge, sides, now)
    const isWhole = sample.champion.fault !== 'no-reply' && sample.contender.fault !== 'no-reply'
    if (!isWhole && deadline.reason instanceof Stopped) throw deadline.reason
    const entry = { at: now(), sample }
    await journal.append(entry as unknown as Json)
    entries.push(entry)
    left -= 1
    on({ type: 'sample', epoch: scope.epoch, sample, left })
  }
  const played = open.map(playOne)
  await Promise.allSettled(played)
  await Promise.all(played)
  return {
    samples: entries.map(({ sample }) => sample),
    time: Math.max(0, ...entries.map(({ at }) => at)),
  }
}
