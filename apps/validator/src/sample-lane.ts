import type { Sample, Scope } from '@affine/blocks'
import type { Duel, Miner } from '@affine/duel'
import { type Agent, challengeId, registry } from '@affine/envs'
import { canonicalize, type Hash, type Json } from '@affine/prng'
import { openJournal } from './journal.ts'
import { playSample } from './sampling.ts'

/** One epoch's sampling: what to play, where to note it, whom to ask, and until when. */
export interface LaneTask {
  readonly scope: Scope
  readonly duel: Pick<Duel, 'champion' | 'contender'>
  readonly secret: Hash
  readonly journalPath: string
  readonly agent: (miner: Miner, replyMs: number, signal: AbortSignal) => Agent
  /** Aborts when the sampling phase is over: what has no reply by then is a fault. */
  readonly deadline: AbortSignal
  readonly now: () => number
  readonly onSample: (sample: Sample, left: number) => void
}

/**
 * Plays every challenge of a lane that its journal does not hold yet, all side by side, and resolves with all samples
 * and the time of the last. A sample counts once it is on disk, so a killed process goes on where it stopped.
 */
export async function sampleLane(
  task: LaneTask,
): Promise<{ readonly samples: readonly Sample[]; readonly time: number }> {
  const { scope, deadline, now } = task
  const journal = await openJournal(task.journalPath)
  try {
    const [first, ...kept] = journal.entries
    const heading = { beacon: scope.beacon, commitment: scope.commitment, duel: scope.duel.id, epoch: scope.epoch }
    if (first === undefined) await journal.append(heading)
    else if (canonicalize(first) !== canonicalize(heading)) {
      throw new Error(`${task.journalPath} belongs to another epoch, duel or chain: move it away`)
    }
    const entries = kept as unknown as Entry[]
    const done = new Set(entries.map(({ sample }) => `${sample.env} ${sample.index}`))
    const open = challenges(task).filter(({ env, index }) => !done.has(`${env} ${index}`))
    let left = open.length
    const fresh = open.map(async (challenge): Promise<Entry> => {
      const replyMs = registry.get(challenge.env)?.replyMs ?? 0
      const side = (miner: Miner) => ({ hotkey: miner.hotkey, agent: task.agent(miner, replyMs, deadline) })
      const { champion, contender } = task.duel
      const sample = await playSample(challenge, { champion: side(champion), contender: side(contender) }, now)
      const entry = { at: now(), sample }
      await journal.append(entry as unknown as Json)
      left -= 1
      task.onSample(sample, left)
      return entry
    })
    entries.push(...(await Promise.all(fresh)))
    return { samples: entries.map((e) => e.sample), time: Math.max(0, ...entries.map((e) => e.at)) }
  } finally {
    await journal.close()
  }
}

interface Entry {
  readonly at: number
  readonly sample: Sample
}

/** Every challenge that the lane must hold, environment by environment. */
function challenges({ scope, secret }: LaneTask): readonly Pick<Sample, 'env' | 'duel' | 'index' | 'challengeId'>[] {
  const { genesis, netuid, validator, epoch, beacon, duel } = scope
  return Object.entries(scope.quota).flatMap(([env, quota]) =>
    Array.from({ length: quota }, (_, index) => {
      const specHash = scope.specHashes[env] ?? ''
      const parts = { genesis, netuid, env, specHash, duel: duel.id, validator, epoch, beacon, secret, index }
      return { env, duel: duel.id, index, challengeId: challengeId(parts) }
    }),
  )
}
