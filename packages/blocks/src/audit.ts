import { challengeId, type Env, make, replay } from '@affine/envs'
import type { Hash } from '@affine/prng'
import { type Failure, fault, faultAt, faultUnlessEqual } from './fault.ts'
import type { Episode, Sample } from './line.ts'
import type { Scope } from './scope.ts'
import { challengeVerdict, pointsOf } from './verdict.ts'

/** What a lane saw, by the id of each environment. Protocol §6.5. */
export type LaneTallies = Readonly<Record<string, Readonly<LaneTally>>>

/** How the contender fared, the rest of `played` being ties; and what each miner earned, in ppm. */
interface LaneTally {
  wins: number
  losses: number
  played: number
  contenderPoints: number
  championPoints: number
}

/** One open environment, and what its samples came to so far. */
interface Course {
  readonly env: Env
  readonly specHash: Hash
  readonly tally: LaneTally
}

/** The samples of one lane, while they are audited. */
export interface Audit {
  readonly scope: Scope
  /** The courses by the places whose sample was not audited yet. */
  readonly due: Map<string, Course>
  /** All that occurred so far. */
  readonly invocations: Set<string>
  /** They hold once no place is due. */
  readonly tallies: LaneTallies
}

/** The place of a sample in its lane. */
const placeOf = (env: string, index: number): string => `${env} ${index}`

/**
 * An audit in which every sample of the quota is due.
 * @throws RangeError, TypeError for an environment that is not registered or has no specHash.
 */
export function openAudit(scope: Scope): Audit {
  const due = new Map<string, Course>()
  const tallies: Record<string, LaneTally> = {}
  for (const [name, played] of Object.entries(scope.quota)) {
    const specHash = scope.specHashes[name]
    if (specHash === undefined)
      throw new TypeError(`"specHashes" expected one for ${name}, got none`)
    const tally = { wins: 0, losses: 0, played, contenderPoints: 0, championPoints: 0 }
    tallies[name] = tally
    const course = { env: make(name), specHash, tally }
    for (let index = 0; index < played; index++) due.set(placeOf(name, index), course)
  }
  return { scope, due, invocations: new Set(), tallies }
}

/**
 * What is wrong with one sample, null if nothing; it is due no more. The order of samples is free.
 * After a fault the audit is worth nothing. Protocol §6.5.
 */
export function auditSample(audit: Audit, sample: Sample, secret: Hash): Failure | null {
  const { scope, due } = audit
  const { env, index, duel, verdict } = sample
  const place = placeOf(env, index)
  const course = due.get(place)
  if (course === undefined)
    return fault('WRONG_INDEX', 'not in the quota, or a second sample of it')
  due.delete(place)
  const { specHash, tally } = course
  const id = challengeId({ ...scope, env, specHash, duel: scope.duel.id, secret, index })
  const wrong =
    faultUnlessEqual(
      'WRONG_CHALLENGE',
      `${sample.challengeId} of ${duel}`,
      `${id} of ${scope.duel.id}`,
    ) ??
    auditEpisodes(audit, sample, course.env) ??
    faultUnlessEqual('WRONG_VERDICT', verdict, challengeVerdict(sample))
  if (wrong !== null) return wrong
  count(tally, sample, course.env)
  return null
}

/** Adds a sample that holds. Protocol §6.5. */
function count(tally: LaneTally, { verdict, contender, champion }: Sample, { spec }: Env): void {
  if (verdict === 'win') tally.wins += 1
  if (verdict === 'loss') tally.losses += 1
  tally.contenderPoints += pointsOf(contender.reward, spec)
  tally.championPoints += pointsOf(champion.reward, spec)
}

const ROLES = ['champion', 'contender'] as const

/** What is wrong with the episodes of a sample whose challenge is the right one. */
function auditEpisodes({ scope, invocations }: Audit, sample: Sample, env: Env): Failure | null {
  for (const role of ROLES) {
    const episode = sample[role]
    const repeated = noteInvocations(episode, invocations)
    if (repeated !== null) return repeated
    const miner = scope.duel[role].hotkey
    const wrong = auditEpisode(episode, { env, id: sample.challengeId, miner })
    if (wrong !== null) return faultAt(role, wrong)
  }
  return null
}

/** Adds an episode's invocations to those `seen` in the lane: each occurs once. Protocol §6.5. */
function noteInvocations({ messages }: Episode, seen: Set<string>): Failure | null {
  for (const { invocation } of messages) {
    if (invocation === undefined) continue
    if (seen.has(invocation)) return fault('REPEATED_INVOCATION', invocation)
    seen.add(invocation)
  }
  return null
}

/** What an episode has to be of. */
interface ExpectedEpisode {
  readonly env: Env
  /** The challenge's, found to be the right one. */
  readonly id: string
  readonly miner: string
}

/** Does the episode replay, and to what it says? Protocol §6.5. */
function auditEpisode(episode: Episode, { env, id, miner }: ExpectedEpisode): Failure | null {
  const replayed = replay(env, id, episode.messages)
  // Never BAD_CHALLENGE_ID, as the id was found right.
  if (!replayed.ok) return replayed as Failure
  const { reward, fault: hasFault } = replayed.value
  return (
    faultUnlessEqual('WRONG_MINER', episode.miner, miner) ??
    faultUnlessEqual('WRONG_FAULT', endingOf(episode.fault !== undefined), endingOf(hasFault)) ??
    faultUnlessEqual('WRONG_REWARD', episode.reward, reward)
  )
}

const endingOf = (hasFault: boolean): string => (hasFault ? 'a fault' : 'none')
