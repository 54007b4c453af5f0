import type { Sample, Scope } from '@affine/blocks'
import type { Duel, Miner } from '@affine/duel'
import { type Agent, challengeId, make, play, registry } from '@affine/envs'
import { canonicalize, type Hash, type Json } from '@affine/prng'
import { openJournal } from './journal.ts'
import type { Setup } from './setup.ts'

/** One challenge of a duel. */
export type Challenge = Pick<Sample, 'env' | 'duel' | 'index' | 'challengeId'>

/** One side of a sample: whose episode it is, and who answers. */
export interface Side {
  readonly hotkey: string
  readonly agent: Agent
}

type Sides = Readonly<Record<'champion' | 'contender', Side>>

/** Puts one challenge to both miners, at the same time and apart from each other. */
export async function playSample(challenge: Challenge, sides: Sides, now: () => number): Promise<Sample> {
  const episode = async ({ hotkey, agent }: Side): Promise<Sample['champion']> => {
    const started = now()
    const transcript = await play(make(challenge.env), challenge.challengeId, agent)
    return { miner: hotkey, ...transcript, ms: Math.max(0, now() - started) }
  }
  const [champion, contender] = await Promise.all([episode(sides.champion), episode(sides.contender)])
  const lead = contender.reward - champion.reward
  return { ...challenge, champion, contender, verdict: lead > 0 ? 'win' : lead < 0 ? 'loss' : 'tie' }
}

/** One epoch's sampling: what to play, where to note it, whom to ask, and until when. */
export interface LaneTask extends Pick<Setup, 'agent' | 'now'> {
  readonly scope: Scope
  readonly duel: Pick<Duel, 'champion' | 'contender'>
  readonly secret: Hash
  readonly journalPath: string
  /** Aborts when the sampling phase is over: what has no reply by then is a fault. */
  readonly deadline: AbortSignal
  readonly onSample: (sample: Sample, left: number) => void
}

type Entry = { readonly at: number; readonly sample: Sample }

/**
 * Plays every challenge of a lane that its journal does not hold yet, all side by side, and resolves with all samples
 * and the time of the last. A sample counts once it is on disk, so a killed process goes on where it stopped.
 */
export async function sampleLane(
  task: LaneTask,
): Promise<{ readonly samples: readonly Sample[]; readonly time: number }> {
  const { scope, secret, duel, deadline, now } = task
  const journal = await openJournal(task.journalPath)
  try {
    const [first, ...kept] = journal.entries
    const heading = { beacon: scope.beacon, commitment: scope.commitment, duel: scope.duel.id, epoch: scope.epoch }
    if (first === undefined) await journal.append(heading)
    else if (canonicalize(first) !== canonicalize(heading)) {
      throw new Error(`${task.journalPath} belongs to another epoch, duel or chain: move it away`)
    }
    const entries = kept as unknown as Entry[]
    const done = new Set(entries.map(({ sample }) => sample.challengeId))
    const open = schedule(scope, secret).filter(({ challengeId }) => !done.has(challengeId))
    let left = open.length
    const fresh = open.map(async (challenge): Promise<Entry> => {
      const replyMs = registry.get(challenge.env)?.replyMs ?? 0
      const side = (miner: Miner): Side => ({ hotkey: miner.hotkey, agent: task.agent(miner, replyMs, deadline) })
      const sides = { champion: side(duel.champion), contender: side(duel.contender) }
      const sample = await playSample(challenge, sides, now)
      const entry = { at: now(), sample }
      await journal.append(entry as unknown as Json)
      left -= 1
      task.onSample(sample, left)
      return entry
    })
    entries.push(...(await Promise.all(fresh)))
    return { samples: entries.map((entry) => entry.sample), time: Math.max(0, ...entries.map((entry) => entry.at)) }
  } finally {
    await journal.close()
  }
}

/** Every challenge that the lane must hold. */
function schedule(scope: Scope, secret: Hash): readonly Challenge[] {
  const duel = scope.duel.id
  const indexes = Object.entries(scope.quota).flatMap(([env, quota]) =>
    Array.from({ length: quota }, (_, i) => ({ env, index: i })),
  )
  return indexes.map(({ env, index }) => {
    const parts = { ...scope, env, specHash: scope.specHashes[env] ?? '', duel, secret, index }
    return { env, duel, index, challengeId: challengeId(parts) }
  })
}
