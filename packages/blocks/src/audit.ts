import { challengeId, type Env, make, replay } from '@affine/envs'
import type { Hash, Result } from '@affine/prng'
import { type BlockFault, type Failure, fault } from './fault.ts'
import type { Episode, Outcome, Sample } from './sample.ts'

/** What a lane has to be about, all of it known from the chain before the lane is read. */
export interface Scope {
  readonly genesis: Hash
  readonly netuid: number
  readonly validator: string
  readonly epoch: number
  /** Hash of the epoch's first block. */
  readonly beacon: Hash
  /** The snapshot's C, see `commitmentOf`. */
  readonly commitment: Hash
  readonly duel: {
    readonly id: Hash
    readonly champion: { readonly hotkey: string }
    readonly contender: { readonly hotkey: string }
  }
  /** How many challenges, by the id of each open environment. */
  readonly quota: Readonly<Record<string, number>>
  readonly specHashes: Readonly<Record<string, Hash>>
}

/** One environment in one lane, for the contender; the rest of `played` are ties. */
export interface Tally {
  readonly wins: number
  readonly losses: number
  readonly played: number
}

/** The samples of one lane, in any order: `add` each, then `finish`. After a fault it is of no further use. */
export interface Audit {
  add(sample: Sample): Failure | null
  finish(): Result<Readonly<Record<string, Tally>>, BlockFault>
}

/** @throws RangeError for an environment that is not registered; TypeError for one without a specHash. */
export function auditSamples(scope: Scope, secret: Hash): Audit {
  const courses = new Map(Object.entries(scope.quota).map(([env, quota]) => [env, openCourse(scope, env, quota)]))
  const invocations = new Set<string>()

  function add(sample: Sample): Failure | null {
    const course = courses.get(sample.env)
    if (sample.duel !== scope.duel.id) return fault('WRONG_DUEL', `expected ${scope.duel.id}, got ${sample.duel}`)
    if (!course || sample.index >= course.quota) return fault('WRONG_INDEX', 'not in the quota')
    if (course.seen.has(sample.index)) return fault('REPEATED_INDEX', 'a second sample of it')
    course.seen.add(sample.index)
    const id = challengeId({ ...scope, ...course.parts, secret, index: sample.index })
    if (sample.challengeId !== id) return fault('WRONG_CHALLENGE', `expected ${id}, got ${sample.challengeId}`)
    const wrong = episodeFault('champion', sample, course.env) ?? episodeFault('contender', sample, course.env)
    if (wrong) return wrong
    const outcome = outcomeOf(sample)
    if (sample.verdict !== outcome) return fault('WRONG_VERDICT', `expected ${outcome}, got ${sample.verdict}`)
    course[outcome] += 1
    return null
  }

  function episodeFault(role: 'champion' | 'contender', sample: Sample, env: Env): Failure | null {
    const episode = sample[role]
    const { hotkey } = scope.duel[role]
    if (episode.miner !== hotkey) return fault('WRONG_MINER', `${role}: expected ${hotkey}, got ${episode.miner}`)
    for (const { invocation } of episode.messages) {
      if (invocation === undefined) continue
      if (invocations.has(invocation)) return fault('REPEATED_INVOCATION', `${role}: ${invocation}`)
      invocations.add(invocation)
    }
    return replayFault(role, episode, env, sample.challengeId)
  }

  function finish(): Result<Readonly<Record<string, Tally>>, BlockFault> {
    for (const [env, { quota, seen }] of courses) {
      for (let index = 0; seen.size < quota && index < quota; index++) {
        if (!seen.has(index)) return fault('MISSING_INDEX', `${env} ${index}: no sample`)
      }
    }
    const tallies = [...courses].map(([env, { win, loss, quota }]) => [env, { wins: win, losses: loss, played: quota }])
    return { ok: true, value: Object.fromEntries(tallies) }
  }
  return { add, finish }
}

/** An environment's part of the lane: what is fixed, and what was seen so far. */
function openCourse({ specHashes, duel }: Scope, env: string, quota: number) {
  const specHash = specHashes[env]
  if (specHash === undefined) throw new TypeError(`"specHashes" expected one for ${env}, got none`)
  return {
    env: make(env),
    parts: { env, specHash, duel: duel.id },
    quota,
    seen: new Set<number>(),
    win: 0,
    loss: 0,
    tie: 0,
  }
}

function replayFault(role: string, episode: Episode, env: Env, id: string): Failure | null {
  const replayed = replay(env, id, episode.messages)
  if (!replayed.ok) return fault(replayed.code, `${role}: ${replayed.detail}`)
  const { reward, fault: faulty } = replayed.value
  if (faulty !== (episode.fault !== undefined)) {
    return fault('WRONG_FAULT', `${role}: the transcript ends ${faulty ? 'in a prompt' : 'by the rules'}`)
  }
  return reward === episode.reward ? null : fault('WRONG_REWARD', `${role}: expected ${reward}, got ${episode.reward}`)
}

/** The higher reward wins. */
function outcomeOf({ champion, contender }: Sample): Outcome {
  if (contender.reward === champion.reward) return 'tie'
  return contender.reward > champion.reward ? 'win' : 'loss'
}
