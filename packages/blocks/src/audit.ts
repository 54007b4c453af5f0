import {
  type Challenges,
  challengesOf,
  type Env,
  type Message,
  make,
  type PerSide,
  type ReplayedSide,
  replayFrom,
  replayGameFrom,
  type Side,
} from '@affine/envs'
import { digest, type Hash } from '@affine/prng'
import { type BlockTrust, openBlock } from './block.ts'
import { type EvidenceResult, type Failure, fault, faultAt, faultUnlessEqual } from './fault.ts'
import { isUnbegun } from './forfeit.ts'
import {
  type ChallengeVerdict,
  challengeVerdict,
  type Episode,
  type Header,
  pointsOf,
  readSample,
  type Sample,
} from './line.ts'

/** What all blocks of one lane share. */
export type LaneId = Pick<Header, 'genesis' | 'netuid' | 'validator' | 'epoch'>

/** What a lane has to be about, all of it known from the chain before the lane is read. */
export interface Scope extends LaneId {
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

/**
 * C: what a validator puts on chain before the beacon, so that it cannot choose its challenges.
 * Protocol §4.
 */
export function commitmentOf({
  genesis,
  netuid,
  validator,
  epoch,
  secret,
}: LaneId & { readonly secret: Hash }): Hash {
  return digest('commit', genesis, netuid, validator, epoch, secret)
}

/** How many samples a whole lane has to hold. */
export const samplesIn = ({ quota }: Pick<Scope, 'quota'>): number =>
  Object.values(quota).reduce((sum, samples) => sum + samples, 0)

/** What a lane needs of a sample that holds by itself. */
export interface AuditedSample {
  readonly env: string
  readonly index: number
  readonly verdict: ChallengeVerdict
  /** What each miner earned, in ppm. */
  readonly contenderPoints: number
  readonly championPoints: number
  /** Is it a game that was never begun? */
  readonly isUnbegun: boolean
  /** Of both episodes, in order. */
  readonly invocations: readonly string[]
}

/** An authentic block whose samples were audited, in order, up to the first that does not hold. */
export interface AuditedBlock {
  readonly hash: Hash
  readonly header: Header
  /** Of all its sample lines, with their line feeds. */
  readonly lineBytes: number
  /** Of the first sample line, with its line feed; 0 without one. */
  readonly firstLineBytes: number
  readonly samples: readonly AuditedSample[]
  /** What is wrong with the sample after these, and where it is. */
  readonly wrong: Failure | null
}

/** Which block, and what its samples have to be about. */
export interface BlockRequest {
  readonly hash: Hash
  readonly scope: Scope
  /** The lane's. That of its last block is in the block. */
  readonly secret: Hash
}

/**
 * Reads a block as `readBlock` does, and audits its samples by themselves: that their challenges
 * follow from the scope and the secret, and that every transcript replays. What one sample is
 * beside others is `verifyLane`'s business. Never throws on any bytes. Protocol §6.5.
 *
 * One line after the other: holding them all would double the time that the engine spends on
 * collecting garbage.
 *
 * @throws RangeError, TypeError for a scope that makes no sense: one with an environment that is
 *   not registered or has no specHash.
 */
export function checkBlock(
  bytes: Uint8Array,
  { verify, hash, scope, secret }: BlockRequest & Pick<BlockTrust, 'verify'>,
): EvidenceResult<AuditedBlock> {
  const opened = openBlock(bytes, { hash, verify })
  if (!opened.ok) return opened
  const { header, lines } = opened.value
  const sizes = lines.map((line) => line.length + 1)
  const [firstLineBytes = 0] = sizes
  const lineBytes = sizes.reduce((sum, size) => sum + size, 0)
  const block = { hash, header, lineBytes, firstLineBytes }
  const courses = coursesOf(scope, header.secret ?? secret)
  const samples: AuditedSample[] = []
  for (const line of lines) {
    const sample = readSample(line)
    if (!sample.ok) return faultAt(`line ${2 + samples.length}`, sample)
    const audited = auditSample(sample.value, scope, courses)
    if (!audited.ok) {
      const { env, index } = sample.value
      const place = `block ${hash}, line ${2 + samples.length}, ${env} ${index}`
      return { ok: true, value: { ...block, samples, wrong: faultAt(place, audited) } }
    }
    samples.push(audited.value)
  }
  return { ok: true, value: { ...block, samples, wrong: null } }
}

/** One open environment in a lane. */
interface LaneEnv {
  readonly env: Env
  readonly quota: number
  readonly challenges: Challenges
}

type Courses = ReadonlyMap<string, LaneEnv>

/**
 * The open environments of a lane, by their id.
 * @throws RangeError, TypeError for an environment that is not registered or has no specHash.
 */
export function coursesOf({ quota, specHashes, duel, ...lane }: Scope, secret: Hash): Courses {
  const courseOf = (env: string): LaneEnv => {
    const specHash = specHashes[env]
    if (specHash === undefined)
      throw new TypeError(`"specHashes" expected one for ${env}, got none`)
    const challenges = challengesOf({ ...lane, env, specHash, duel: duel.id, secret })
    return { env: make(env), quota: quota[env] ?? 0, challenges }
  }
  return new Map(Object.keys(quota).map((env) => [env, courseOf(env)]))
}

/** What a lane needs of a sample, or what is wrong with it. Protocol §6.5. */
function auditSample(
  sample: Sample,
  { duel }: Scope,
  courses: Courses,
): EvidenceResult<AuditedSample> {
  const { index, verdict, champion, contender } = sample
  const course = courses.get(sample.env)
  if (course === undefined || index >= course.quota) return fault('WRONG_INDEX', 'not in the quota')
  const { env, challenges } = course
  const seed = challenges.seedIf(index, sample.challengeId)
  if (seed === undefined) return fault('WRONG_CHALLENGE', `expected ${challenges.idOf(index)}`)
  const wrongDuel = faultUnlessEqual('WRONG_CHALLENGE', sample.duel, duel.id)
  if (wrongDuel !== null) return wrongDuel
  const replayed = replaySides(env, seed, sample)
  if (!replayed.ok) return replayed
  const wrong =
    episodeFault(champion, duel.champion.hotkey, replayed.value.champion, 'champion') ??
    episodeFault(contender, duel.contender.hotkey, replayed.value.contender, 'contender') ??
    faultUnlessEqual('WRONG_VERDICT', verdict, challengeVerdict(sample))
  if (wrong !== null) return wrong
  const value = {
    env: sample.env,
    index,
    verdict,
    contenderPoints: pointsOf(contender.reward, env.spec),
    championPoints: pointsOf(champion.reward, env.spec),
    isUnbegun: isUnbegun(sample),
    invocations: invocationsOf(champion, contender),
  }
  return { ok: true, value }
}

/**
 * What both sides' messages come to when they are played again, apart or as a game, or the first
 * thing that is wrong with them. Takes hostile data and never throws. Protocol §3.1.
 */
function replaySides(
  env: Env,
  seed: bigint,
  { champion, contender }: PerSide<{ readonly messages: readonly Message[] }>,
): EvidenceResult<PerSide<ReplayedSide>> {
  if (env.spec.game !== undefined) {
    const recorded = { champion: champion.messages, contender: contender.messages }
    return replayGameFrom(env, seed, recorded)
  }
  const one = replayFrom(env, seed, champion.messages)
  if (!one.ok) return faultAt('champion', one)
  const other = replayFrom(env, seed, contender.messages)
  if (!other.ok) return faultAt('contender', other)
  return { ok: true, value: { champion: one.value, contender: other.value } }
}

function invocationsOf(...episodes: readonly Episode[]): readonly string[] {
  const invocations: string[] = []
  for (const { messages } of episodes)
    for (const { invocation } of messages)
      if (invocation !== undefined) invocations.push(invocation)
  return invocations
}

/** Is an episode that replays the miner's, and does it end as it says? Protocol §6.5. */
function episodeFault(
  { miner, messages, fault, reward }: Episode,
  hotkey: string,
  replayed: ReplayedSide,
  side: Side,
): Failure | null {
  const isUnbegun = replayed.fault && messages.length === 0
  const wrong =
    faultUnlessEqual('WRONG_MINER', miner, hotkey) ??
    faultUnlessEqual('WRONG_FAULT', endingOf(fault !== undefined), endingOf(replayed.fault)) ??
    (isUnbegun ? faultUnlessEqual('WRONG_FAULT', fault ?? 'none', 'no-reply') : null) ??
    faultUnlessEqual('WRONG_REWARD', reward, replayed.reward)
  return wrong && faultAt(side, wrong)
}

const endingOf = (hasFault: boolean): string => (hasFault ? 'a fault' : 'none')
