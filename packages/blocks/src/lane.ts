import { type ReplayedSide, replayFrom, replayGameFrom, SIDES } from '@affine/envs'
import type { Hash } from '@affine/prng'
import { type BlockTrust, openBlock, type Verify } from './block.ts'
import { type Bucket, blockPath } from './bucket.ts'
import { type EvidenceResult, type Failure, fault, faultAt, faultUnlessEqual } from './fault.ts'
import {
  type ChallengePair,
  type Episode,
  type EpisodeSample,
  episodesIn,
  type Header,
  isRoomFor,
  LIMITS,
  readSample,
  type Sample,
} from './line.ts'
import {
  commitmentOf,
  type LaneEnv,
  type LaneTotals,
  laneEnvs,
  type PlannedSample,
  planOf,
  type Rewards,
  type Scope,
  checkScope,
  countTallies,
} from './plan.ts'

/** What a whole lane amounts to. Protocol §6.5. */
export interface Lane {
  readonly tallies: LaneTotals
  /** From the head to the epoch's first. */
  readonly blocks: readonly Hash[]
  /** How many of its games were never begun. Protocol §3.1. */
  readonly unbegun: number
}

export interface LaneRequest {
  /** The block that was on chain at the seal. */
  readonly head: Hash
  /** The validator's seal before, or `NO_BLOCK`. */
  readonly previous: Hash
  readonly scope: Scope
  /** What `checkBlock` says of a block; called once for each, from the head back. */
  readonly read: (wanted: BlockRequest) => Promise<EvidenceResult<AuditedBlock>>
}

/**
 * Reads blocks out of one bucket. Trying another when a block is missing or altered is the
 * caller's.
 */
export function blockReader(bucket: Pick<Bucket, 'read'>, verify: Verify): LaneRequest['read'] {
  return async (wanted) => {
    const bytes = await bucket.read(blockPath(wanted.hash), LIMITS.blockBytes)
    if (bytes === null) return fault('MISSING_BLOCK', 'not in the bucket')
    return checkBlock(bytes, { ...wanted, verify })
  }
}

/**
 * Is everything that a validator sealed in an epoch as the protocol has it? All or nothing: the
 * first fault voids the lane, for otherwise spoiling a sample would be a way to drop it. Every
 * transcript is replayed. Protocol §6.5.
 *
 * Holds one block at a time. Reads no more blocks than the plan's samples fill, and one in which it
 * finds the fault: every block but the last is full. Does not say that the miners really gave these
 * replies: nothing in a lane can show that.
 *
 * Rejects with what `read` rejects with, and with RangeError or TypeError for a scope that makes no
 * sense: one with an environment that is not registered or has no specHash.
 */
export async function verifyLane({
  head,
  previous,
  scope,
  read,
}: LaneRequest): Promise<EvidenceResult<Lane>> {
  const count: SampleCount = { rewards: [], invocations: new Set(), unbegun: 0 }
  const blocks: Hash[] = []
  let hash = head
  const plan = planOf(scope)
  let due = plan.length
  let after: NextBlock | null = null
  let secret = ''
  do {
    const found = await read({ hash, scope, secret, due })
    if (!found.ok) return faultAt(`block ${hash}`, found)
    const { header, samples, firstLineBytes } = found.value
    const misplaced =
      faultUnlessEqual('WRONG_HASH', found.value.hash, hash) ??
      findMisplacement(found.value, scope, after)
    if (misplaced !== null) return faultAt(`block ${hash}`, misplaced)
    // The head has it, and is the first block to be read.
    secret = header.secret ?? secret
    const wrong = addBlock(count, found.value)
    if (wrong !== null) return wrong
    due -= samples.length
    blocks.push(hash)
    after = { height: header.height, firstLineBytes }
    hash = header.prev
  } while (after.height !== 0)

  const wrongPrevious = faultUnlessEqual('WRONG_PREVIOUS', hash, previous)
  if (wrongPrevious !== null) return wrongPrevious
  if (due > 0) return fault('MISSING_INDEX', `${due} samples too few`)
  const tallies = countTallies(scope, plan, count.rewards.reverse().flat())
  return { ok: true, value: { tallies, blocks, unbegun: count.unbegun } }
}

/** The samples of one lane, while they are counted. */
interface SampleCount {
  /** Of each block, from the head back. */
  readonly rewards: (readonly Rewards[])[]
  /** All that occurred so far. */
  readonly invocations: Set<string>
  unbegun: number
}

/**
 * Counts a block's samples, each of which holds by itself; the first fault among them, null if
 * there is none. After a fault the count is worth nothing.
 */
function addBlock(count: SampleCount, { hash, samples, wrong }: AuditedBlock): Failure | null {
  const { rewards, invocations } = count
  for (const [i, sample] of samples.entries()) {
    // Each occurs once in a lane.
    for (const invocation of sample.invocations) {
      if (invocations.has(invocation))
        return faultAt(`block ${hash}, line ${2 + i}`, fault('REPEATED_INVOCATION', invocation))
      invocations.add(invocation)
    }
    const [champion, contender] = sample.rewards
    // A game that was begun has a winner; an episode has one reward. Protocol §3.1.
    if (champion === contender) count.unbegun += 1
  }
  rewards.push(samples.map((sample) => sample.rewards))
  return wrong
}

/** What the place of a block follows from: the one after it. */
type NextBlock = Pick<Header, 'height'> & Pick<AuditedBlock, 'firstLineBytes'>

/** What is wrong with where a block stands in its lane, null if nothing. Protocol §6.5. */
function findMisplacement(
  { header, lineBytes }: AuditedBlock,
  scope: Scope,
  after: NextBlock | null,
): Failure | null {
  const revealed = hashRevealed(header, scope)
  const wrongScope = checkScope('WRONG_SCOPE', header, scope)
  if (wrongScope !== null) return wrongScope
  // Only the last block, the head, reveals the secret.
  if (after === null) return faultUnlessEqual('WRONG_SECRET', revealed, scope.commitment)
  const wrong =
    faultUnlessEqual('WRONG_SECRET', revealed, 'none') ??
    faultUnlessEqual('WRONG_HEIGHT', header.height, after.height - 1)
  if (wrong !== null) return wrong
  if (!isRoomFor(header.count + 1, lineBytes + after.firstLineBytes)) return null
  return fault('SHORT_BLOCK', 'it has room for the next sample, and is not the last')
}

/** The commitment to the secret that a block reveals, if it reveals one. */
function hashRevealed({ secret }: Header, scope: Scope): Hash | 'none' {
  if (secret === undefined) return 'none'
  return commitmentOf({ ...scope, secret })
}

/** What a lane needs of a sample that holds by itself. */
interface AuditedSample {
  readonly rewards: Rewards
  /** Of all its episodes, in order. */
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
  /** How many samples of the plan this block and those before it have to hold. */
  readonly due: number
}

/**
 * Reads a block as `readBlock` does, and audits its samples by themselves: that each is the plan's,
 * that its challenge follows from the scope and the secret, and that every transcript replays. What
 * one sample is beside others is `verifyLane`'s business. Never throws on any bytes. Protocol §6.5.
 *
 * One line after the other: holding them all would double the time that the engine spends on
 * collecting garbage.
 *
 * @throws RangeError, TypeError for a scope that makes no sense: one with an environment that is
 *   not registered or has no specHash.
 */
export function checkBlock(
  bytes: Uint8Array,
  { verify, hash, scope, secret, due }: BlockRequest & Pick<BlockTrust, 'verify'>,
): EvidenceResult<AuditedBlock> {
  const opened = openBlock(bytes, { hash, verify })
  if (!opened.ok) return opened
  const { header, lines } = opened.value
  const sizes = lines.map((line) => line.length + 1)
  const [firstLineBytes = 0] = sizes
  const lineBytes = sizes.reduce((sum, size) => sum + size, 0)
  const block = { hash, header, lineBytes, firstLineBytes }
  const envs = laneEnvs(scope, header.secret ?? secret)
  // A lane is read from its head back, so its samples are counted from the plan's end.
  const plan = planOf(scope)
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

/** What a lane needs of a sample, or what is wrong with it. Protocol §6.5. */
function auditSample(
  sample: Sample,
  planned: PlannedSample | undefined,
  envs: ReadonlyMap<string, LaneEnv>,
): EvidenceResult<AuditedSample> {
  if (planned === undefined) return fault('MISSING_INDEX', 'more samples than the lane has to hold')
  if (!isPlanned(sample, planned)) return fault('WRONG_CHALLENGE', `expected ${formatPlace(planned)}`)
  // The plan is of these environments.
  const env = envs.get(planned.env) as LaneEnv
  const seed = env.seedIf(planned, sample.challengeId)
  if (seed === undefined) return fault('WRONG_CHALLENGE', `expected ${env.idOf(planned)}`)
  const wrong = 'miner' in sample ? checkEpisode(sample, env, seed) : checkGame(sample, env, seed)
  if (wrong !== null) return wrong
  const episodes = episodesIn(sample)
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

function formatPlace(planned: PlannedSample): string {
  const { env, index } = planned
  if ('miner' in planned) return `${env} ${index} of ${planned.miner}`
  return `${env} ${index} of ${planned.champion} and ${planned.contender}`
}

/** What is wrong with an episode of one player, null if nothing. Protocol §6.5. */
function checkEpisode(sample: EpisodeSample, { env }: LaneEnv, seed: bigint): Failure | null {
  const replayed = replayFrom(env, seed, sample.messages)
  return replayed.ok ? checkEnding(sample, replayed.value) : replayed
}

/** What is wrong with a game, null if nothing. Protocol §6.5. */
function checkGame(game: ChallengePair, { env }: LaneEnv, seed: bigint): Failure | null {
  const { champion, contender } = game
  const recorded = { champion: champion.messages, contender: contender.messages }
  const replayed = replayGameFrom(env, seed, recorded)
  if (!replayed.ok) return replayed
  for (const side of SIDES) {
    const wrong = checkEnding(game[side], replayed.value[side])
    if (wrong !== null) return faultAt(side, wrong)
  }
  return null
}

/** Does an episode that replays end as it says? Protocol §6.5. */
function checkEnding({ fault, reward }: Episode, replayed: ReplayedSide): Failure | null {
  return (
    faultUnlessEqual('WRONG_FAULT', formatEnding(fault !== undefined), formatEnding(replayed.fault)) ??
    faultUnlessEqual('WRONG_REWARD', reward, replayed.reward)
  )
}

const formatEnding = (hasFault: boolean): string => (hasFault ? 'a fault' : 'none')
