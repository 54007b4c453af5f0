import { challengeId, type Env, make, replay } from '@affine/envs'
import type { Hash, Result } from '@affine/prng'
import { type BlockFault, type Failure, fault } from './fault.ts'
import type { Episode, Outcome, Sample } from './sample.ts'
import { at } from './shape.ts'

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
    const { index, verdict } = sample
    const course = courses.get(sample.env)
    if (sample.duel !== scope.duel.id) return fault('WRONG_DUEL', `expected ${scope.duel.id}, got ${sample.duel}`)
    if (!course || index >= course.verdicts.length) return fault('WRONG_INDEX', 'not in the quota')
    if (course.verdicts[index] !== undefined) return fault('REPEATED_INDEX', 'a second sample of it')
    const id = challengeId({ ...scope, ...course.parts, secret, index })
    if (sample.challengeId !== id) return fault('WRONG_CHALLENGE', `expected ${id}, got ${sample.challengeId}`)
    for (const role of ['champion', 'contender'] as const) {
      const { hotkey } = scope.duel[role]
      const wrong = episodeFault(sample[role], hotkey, course.env, id)
      if (wrong) return at(role, wrong)
    }
    const outcome = outcomeOf(sample)
    if (verdict !== outcome) return fault('WRONG_VERDICT', `expected ${outcome}, got ${verdict}`)
    course.verdicts[index] = verdict
    return null
  }

  function episodeFault(episode: Episode, hotkey: string, env: Env, id: string): Failure | null {
    const { miner, messages } = episode
    if (miner !== hotkey) return fault('WRONG_MINER', `expected ${hotkey}, got ${miner}`)
    for (const { invocation } of messages) {
      if (invocation === undefined) continue
      if (invocations.has(invocation)) return fault('REPEATED_INVOCATION', invocation)
      invocations.add(invocation)
    }
    const replayed = replay(env, id, messages)
    if (!replayed.ok) return replayed
    const { reward, fault: faulty } = replayed.value
    if (faulty !== (episode.fault !== undefined)) {
      return fault('WRONG_FAULT', `the transcript ends ${faulty ? 'in a prompt' : 'by the rules'}`)
    }
    return reward === episode.reward ? null : fault('WRONG_REWARD', `expected ${reward}, got ${episode.reward}`)
  }

  function finish(): Result<Readonly<Record<string, Tally>>, BlockFault> {
    const tallies: Record<string, Tally> = {}
    for (const [env, { verdicts }] of courses) {
      const missing = verdicts.indexOf(undefined)
      if (missing !== -1) return fault('MISSING_INDEX', `${env} ${missing}: no sample`)
      const count = (outcome: Outcome) => verdicts.filter((verdict) => verdict === outcome).length
      tallies[env] = { wins: count('win'), losses: count('loss'), played: verdicts.length }
    }
    return { ok: true, value: tallies }
  }
  return { add, finish }
}

/** An environment's part of the lane: what is fixed, and the verdicts so far by their index. */
function openCourse({ specHashes, duel }: Scope, env: string, quota: number) {
  const specHash = specHashes[env]
  if (specHash === undefined) throw new TypeError(`"specHashes" expected one for ${env}, got none`)
  const verdicts: (Outcome | undefined)[] = Array(quota).fill(undefined)
  return { env: make(env), parts: { env, specHash, duel: duel.id }, verdicts }
}

/** The higher reward wins. */
function outcomeOf({ champion, contender }: Sample): Outcome {
  if (contender.reward === champion.reward) return 'tie'
  return contender.reward > champion.reward ? 'win' : 'loss'
}
