import type { Hash } from '@affine/prng'
import { type Audit, auditSample, type LaneTallies, openAudit } from './audit.ts'
import { type Block, type BlockTrust, readBlock } from './block.ts'
import { type Bucket, blockPath } from './bucket.ts'
import { type Failure, fault, faultAt, faultUnlessEqual, type Read } from './fault.ts'
import { type Header, LIMITS } from './line.ts'
import { commitmentOf, type LaneId, type Scope } from './scope.ts'

/** What a whole lane adds to the duel. Protocol §6.5. */
export interface Lane {
  readonly tallies: LaneTallies
  /** From the head to the epoch's first. */
  readonly blocks: readonly Hash[]
}

export interface LaneRequest {
  /** The block that was on chain at the seal. */
  readonly head: Hash
  /** The validator's seal before, or `NO_BLOCK`. */
  readonly previous: Hash
  readonly scope: Scope
  /** See `blockReader`; called once a block, from the head back. */
  readonly read: (hash: Hash) => Promise<Read<Block>>
}

/**
 * Reads blocks out of one bucket. Trying another when a block is missing or altered is the
 * caller's.
 */
export function blockReader(
  bucket: Pick<Bucket, 'read'>,
  trust: Omit<BlockTrust, 'hash'>,
): LaneRequest['read'] {
  return async (hash) => {
    const bytes = await bucket.read(blockPath(hash), LIMITS.blockBytes)
    if (bytes === null) return fault('MISSING_BLOCK', 'not in the bucket')
    return readBlock(bytes, { ...trust, hash })
  }
}

/**
 * Is everything that a validator sealed in an epoch as the protocol has it? All or nothing: the
 * first fault voids the lane, for otherwise spoiling a sample would be a way to drop it. Every
 * transcript is replayed. Protocol §6.5.
 *
 * Holds one block at a time, and reads at most one more than the quota has samples, whatever the
 * head says. Does not say that the miners really gave these replies: nothing in a lane can show
 * that.
 *
 * Rejects with what `read` rejects with, and with RangeError or TypeError for a scope that makes no
 * sense: one with an environment that is not registered or has no specHash.
 */
export async function verifyLane({
  head,
  previous,
  scope,
  read,
}: LaneRequest): Promise<Read<Lane>> {
  const audit = openAudit(scope)
  const samplesDue = audit.due.size
  const blocks: Hash[] = []
  let hash = head
  let after: Header | null = null
  let secret = ''
  do {
    const found = await read(hash)
    if (!found.ok) return faultAt(`block ${hash}`, found)
    const { header } = found.value
    const misplaced =
      faultUnlessEqual('WRONG_HASH', found.value.hash, hash) ??
      misplacementOf(header, { scope, samplesDue, after })
    if (misplaced !== null) return faultAt(`block ${hash}`, misplaced)
    // The head has it, and is the first block to be read.
    secret = header.secret ?? secret
    const wrong = auditSamples(audit, found.value, secret)
    if (wrong !== null) return wrong
    blocks.push(hash)
    after = header
    hash = header.prev
  } while (after.height !== 0)

  const wrongPrevious = faultUnlessEqual('WRONG_PREVIOUS', hash, previous)
  if (wrongPrevious !== null) return wrongPrevious
  const [missing] = audit.due.keys()
  if (missing !== undefined) return fault('MISSING_INDEX', `${missing}: no sample`)
  return { ok: true, value: { tallies: audit.tallies, blocks } }
}

/** Where a block has to stand. */
interface Position {
  readonly scope: Scope
  /** How many samples the whole lane has to hold. */
  readonly samplesDue: number
  /** The header of the block after it; null for the lane's last block, the head. */
  readonly after: Header | null
}

/** What is wrong with where a block stands in its lane, null if nothing. Protocol §6.5. */
function misplacementOf(header: Header, { scope, samplesDue, after }: Position): Failure | null {
  const revealed = revealedBy(header, scope)
  const wrongScope = faultUnlessEqual('WRONG_SCOPE', textOf(header), textOf(scope))
  if (wrongScope !== null) return wrongScope
  if (after === null) {
    // Only the last block reveals the secret. Its height is free, up to what the quota can fill.
    const height = Math.min(header.height, samplesDue)
    return (
      faultUnlessEqual('WRONG_SECRET', revealed, scope.commitment) ??
      faultUnlessEqual('WRONG_HEIGHT', header.height, height)
    )
  }
  const wrong =
    faultUnlessEqual('WRONG_SECRET', revealed, 'none') ??
    faultUnlessEqual('WRONG_HEIGHT', header.height, after.height - 1)
  if (wrong !== null) return wrong
  if (header.count === 0) return fault('EMPTY_BLOCK', 'only the last block may hold no samples')
  return null
}

/** The commitment to the secret that a block reveals, if it reveals one. */
function revealedBy({ secret }: Header, scope: Scope): Hash | 'none' {
  if (secret === undefined) return 'none'
  return commitmentOf({ ...scope, secret })
}

const textOf = ({ genesis, netuid, validator, epoch }: LaneId): string =>
  `${genesis} ${netuid} ${validator} ${epoch}`

/** The first fault among a block's samples, with its place; null if there is none. */
function auditSamples(audit: Audit, { hash, samples }: Block, secret: Hash): Failure | null {
  for (const [i, sample] of samples.entries()) {
    const wrong = auditSample(audit, sample, secret)
    if (wrong === null) continue
    return faultAt(`block ${hash}, line ${2 + i}, ${sample.env} ${sample.index}`, wrong)
  }
  return null
}
