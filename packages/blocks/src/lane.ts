import { type ReplayedSide, replay, replayGame, SIDES } from '@affine/envs'
import type { Hash } from '@affine/prng'
import { openBlock, type Verify } from './block.ts'
import { type Bucket, blockPath } from './bucket.ts'
import { type EvidenceResult, type Failure, fault, faultAt, faultUnlessEqual } from './fault.ts'
import {
  type ChallengePair,
  type Episode,
  type EpisodeSample,
  type Header,
  isWithinBlock,
  LIMITS,
  listEpisodes,
  readSample,
  type Sample,
} from './line.ts'
import {
  countTallies,
  hashCommitment,
  type LaneEnv,
  type LaneTotals,
  makeLaneEnvs,
  type PlannedSample,
  planLane,
  type Rewards,
  type Scope,
} from './plan.ts'

/** A valid lane. Protocol §6.5. */
export interface Lane {
  readonly tallies: LaneTotals
  /** Hashes, from the head back to the epoch's first block. */
  readonly blocks: readonly Hash[]
}

export interface LaneRequest {
  /** Block that the validator sealed. */
  readonly head: Hash
  /** Head of the validator's previous sealed lane, or `NO_BLOCK` if there is none. */
  readonly previous: Hash
  readonly scope: Scope
  /** Resolves with the result of `checkBlock`. Called once for each block, from the head back. */
  readonly read: (wanted: BlockRequest) => Promise<EvidenceResult<AuditedBlock>>
}

/**
 * Returns a reader of blocks from one bucket. A block that is missing or altered there may be valid
 * in another bucket.
 */
export function createBlockReader(
  bucket: Pick<Bucket, 'read'>,
  verify: Verify,
): LaneRequest['read'] {
  return async (wanted) => {
    const bytes = await bucket.read(blockPath(wanted.hash), LIMITS.blockBytes)
    if (bytes === null) return fault('MISSING_BLOCK', 'not in the bucket')
    return checkBlock(bytes, { ...wanted, verify })
  }
}

/**
 * Verifies the lane that a validator sealed in an epoch, and replays every transcript. The first
 * fault voids the whole lane; otherwise a validator could drop a sample by spoiling it. Protocol
 * §6.5.
 *
 * Holds one block at a time. Reads at most one block more than the plan's samples can fill: every
 * block except the last is full.
 *
 * Rejects with the error of `read`, and with RangeError or TypeError if the scope has an
 * environment that is not registered or has no specHash.
 */
export async function verifyLane(request: LaneRequest): Promise<EvidenceResult<Lane>> {
  const { head, previous, scope, read } = request
  const rewards: (readonly Rewards[])[] = []
  const invocations = new Set<string>()
  const blocks: Hash[] = []
  let hash = head
  const plan = planLane(scope)
  let due = plan.length
  let after: NextBlock | null = null
  let secret = ''
  do {
    const result = await read({ hash, scope, secret, due })
    if (!result.ok) return faultAt(`block ${hash}`, result)
    const { header, samples, firstLineBytes } = result.value
    const misplaced = findMisplacement(result.value, scope, after)
    if (misplaced !== null) return faultAt(`block ${hash}`, misplaced)
    // The head, which is read first, reveals the secret.
    secret = header.secret ?? secret
    const wrong = findRepetition(result.value, invocations) ?? result.value.wrong
    if (wrong !== null) return wrong
    rewards.push(samples.map((sample) => sample.rewards))
    due -= samples.length
    blocks.push(hash)
    after = { height: header.height, firstLineBytes }
    hash = header.prev
  } while (after.height !== 0)

  const wrongPrevious = faultUnlessEqual('WRONG_PREVIOUS', hash, previous)
  if (wrongPrevious !== null) return wrongPrevious
  if (due > 0) return fault('MISSING_INDEX', `samples missing: ${due}`)
  const tallies = countTallies(scope, plan, rewards.reverse().flat())
  return { ok: true, value: { tallies, blocks } }
}

/**
 * Returns the fault of the first invocation of a block that is in `known`, or null. Adds the
 * invocations before it to `known`. An invocation may occur only once in a lane.
 */
function findRepetition({ hash, samples }: AuditedBlock, known: Set<string>): Failure | null {
  for (const [i, { invocations }] of samples.entries())
    for (const invocation of invocations) {
      if (known.has(invocation))
        return faultAt(`block ${hash}, line ${2 + i}`, fault('REPEATED_INVOCATION', invocation))
      known.add(invocation)
    }
  return null
}

type NextBlock = Pick<Header, 'height'> & Pick<AuditedBlock, 'firstLineBytes'>

/** Returns the fault in a block's position in its lane, or null. Protocol §6.5. */
function findMisplacement(
  { header, lineBytes }: AuditedBlock,
  scope: Scope,
  after: NextBlock | null,
): Failure | null {
  const { secret } = header
  const revealed = secret === undefined ? 'none' : hashCommitment({ ...scope, secret })
  // Only the head, the last block, reveals the secret.
  if (after === null) return faultUnlessEqual('WRONG_SECRET', revealed, scope.commitment)
  const wrong =
    faultUnlessEqual('WRONG_SECRET', revealed, 'none') ??
    faultUnlessEqual('WRONG_HEIGHT', header.height, after.height - 1)
  if (wrong !== null) return wrong
  if (!isWithinBlock(header.count + 1, lineBytes + after.firstLineBytes)) return null
  return fault('SHORT_BLOCK', 'the next sample would fit, and the block is not the last')
}

/** A sample that was audited, reduced to the data that a lane needs. */
interface AuditedSample {
  readonly rewards: Rewards
  /** Invocations of all episodes, in order. */
  readonly invocations: readonly string[]
}

/** An authentic block, audited up to the first fault. */
export interface AuditedBlock {
  readonly hash: Hash
  readonly header: Header
  /** Total bytes of the sample lines, with their line feeds. */
  readonly lineBytes: number
  /** Bytes of the first sample line, with its line feed; 0 without a line. */
  readonly firstLineBytes: number
  readonly samples: readonly AuditedSample[]
  /** Fault of the sample after `samples`, with its place, or null. */
  readonly wrong: Failure | null
}

/** A block, and the requirements for its samples. */
export interface BlockRequest {
  readonly hash: Hash
  readonly scope: Scope
  /** Secret of the lane. Empty for the last block, which contains the secret. */
  readonly secret: Hash
  /** Number of samples that this block and the blocks before it must contain. */
  readonly due: number
}

/**
 * Opens a block, and audits each sample independently, up to the first fault: it is in the plan,
 * its challenge follows from the scope and the secret, and its transcript replays. `verifyLane`
 * compares samples with each other. Never throws on any bytes. Protocol §6.5.
 *
 * Parses one line at a time: holding all would double the time of garbage collection.
 *
 * @throws RangeError, TypeError if the scope has an environment that is not registered or has no
 *   specHash.
 */
export function checkBlock(
  bytes: Uint8Array,
  { verify, hash, scope, secret, due }: BlockRequest & { readonly verify: Verify },
): EvidenceResult<AuditedBlock> {
  const opened = openBlock(bytes, { hash, lane: scope, verify })
  if (!opened.ok) return opened
  const { header, lines } = opened.value
  const sizes = lines.map((line) => line.length + 1)
  const [firstLineBytes = 0] = sizes
  const lineBytes = sizes.reduce((sum, size) => sum + size, 0)
  const block = { hash, header, lineBytes, firstLineBytes }
  const envs = makeLaneEnvs(scope, header.secret ?? secret)
  // A lane is read from its head back, so samples are counted from the end of the plan.
  const plan = planLane(scope)
  const before = due - lines.length
  const samples: AuditedSample[] = []
  for (const [i, line] of lines.entries()) {
    const sample = readSample(line)
    const audited = sample.ok ? auditSample(sample.value, plan[before + i], envs) : sample
    if (!audited.ok) {
      const challenge = sample.ok ? `, ${sample.value.env} ${sample.value.index}` : ''
      const place = `block ${hash}, line ${2 + i}${challenge}`
      return { ok: true, value: { ...block, samples, wrong: faultAt(place, audited) } }
    }
    samples.push(audited.value)
  }
  return { ok: true, value: { ...block, samples, wrong: null } }
}

function auditSample(
  sample: Sample,
  planned: PlannedSample | undefined,
  envs: ReadonlyMap<string, LaneEnv>,
): EvidenceResult<AuditedSample> {
  if (planned === undefined) return fault('MISSING_INDEX', 'more samples than in the plan')
  if (!isPlanned(sample, planned)) return fault('WRONG_CHALLENGE', `expected ${namePlace(planned)}`)
  // The cast is safe: the plan has only environments of the scope.
  const env = envs.get(planned.env) as LaneEnv
  const { id, seed } = env.challengeAt(planned)
  if (sample.challengeId !== id) return fault('WRONG_CHALLENGE', `expected ${id}`)
  const wrong = 'miner' in sample ? checkEpisode(sample, env, seed) : checkGame(sample, env, seed)
  if (wrong !== null) return wrong
  const episodes = listEpisodes(sample)
  const invocations: string[] = []
  for (const { messages } of episodes)
    for (const { invocation } of messages) if (invocation) invocations.push(invocation)
  return { ok: true, value: { rewards: episodes.map(({ reward }) => reward), invocations } }
}

function isPlanned(sample: Sample, planned: PlannedSample): boolean {
  if (sample.env !== planned.env || sample.index !== planned.index) return false
  if ('miner' in sample) return 'miner' in planned && sample.miner === planned.miner
  if ('miner' in planned) return false
  const { champion, contender } = sample
  return champion.miner === planned.champion && contender.miner === planned.contender
}

function namePlace(planned: PlannedSample): string {
  const { env, index } = planned
  if ('miner' in planned) return `${env} ${index} of ${planned.miner}`
  return `${env} ${index} of ${planned.champion} and ${planned.contender}`
}

/** Returns the fault of an episode, or null. Protocol §6.5. */
function checkEpisode(sample: EpisodeSample, { env }: LaneEnv, seed: bigint): Failure | null {
  const replayed = replay(env, seed, sample.messages)
  return replayed.ok ? checkEnding(sample, replayed.value) : replayed
}

/** Returns the fault of a game, or null. Protocol §6.5. */
function checkGame(game: ChallengePair, { env }: LaneEnv, seed: bigint): Failure | null {
  const { champion, contender } = game
  const recorded = { champion: champion.messages, contender: contender.messages }
  const replayed = replayGame(env, seed, recorded)
  if (!replayed.ok) return replayed
  for (const side of SIDES) {
    const wrong = checkEnding(game[side], replayed.value[side])
    if (wrong !== null) return faultAt(side, wrong)
  }
  return null
}

/** Returns null if an episode's fault and reward match the replay, or a fault. Protocol §6.5. */
function checkEnding({ fault, reward }: Episode, replayed: ReplayedSide): Failure | null {
  return (
    faultUnlessEqual('WRONG_FAULT', nameEnd(fault !== undefined), nameEnd(replayed.fault)) ??
    faultUnlessEqual('WRONG_REWARD', reward, replayed.reward)
  )
}

const nameEnd = (hasFault: boolean): string => (hasFault ? 'a fault' : 'none')
