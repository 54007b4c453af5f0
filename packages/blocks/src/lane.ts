import type { Hash } from '@affine/prng'
import { type AuditedBlock, type BlockRequest, checkBlock } from './audit.ts'
import type { Verify } from './block.ts'
import { type Bucket, blockPath } from './bucket.ts'
import { type EvidenceResult, type Failure, fault, faultAt, faultUnlessEqual } from './fault.ts'
import { type Header, isRoomFor, LIMITS } from './line.ts'
import {
  commitmentOf,
  type LaneTotals,
  planOf,
  type Rewards,
  type Scope,
  scopeFault,
  talliesOf,
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
  let due = planOf(scope).length
  let after: NextBlock | null = null
  let secret = ''
  do {
    const found = await read({ hash, scope, secret, due })
    if (!found.ok) return faultAt(`block ${hash}`, found)
    const { header, samples, firstLineBytes } = found.value
    const misplaced =
      faultUnlessEqual('WRONG_HASH', found.value.hash, hash) ??
      misplacementOf(found.value, scope, after)
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
  const tallies = talliesOf(scope, count.rewards.reverse().flat())
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
    if (sample.isUnbegun) count.unbegun += 1
  }
  rewards.push(samples.map((sample) => sample.rewards))
  return wrong
}

/** What the place of a block follows from: the one after it. */
type NextBlock = Pick<Header, 'height'> & Pick<AuditedBlock, 'firstLineBytes'>

/** What is wrong with where a block stands in its lane, null if nothing. Protocol §6.5. */
function misplacementOf(
  { header, lineBytes }: AuditedBlock,
  scope: Scope,
  after: NextBlock | null,
): Failure | null {
  const revealed = revealedBy(header, scope)
  const wrongScope = scopeFault('WRONG_SCOPE', header, scope)
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
function revealedBy({ secret }: Header, scope: Scope): Hash | 'none' {
  if (secret === undefined) return 'none'
  return commitmentOf({ ...scope, secret })
}
