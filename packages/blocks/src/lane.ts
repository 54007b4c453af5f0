import { digest, type Hash, type Result } from '@affine/prng'
import { auditSamples, type Scope, type Tally } from './audit.ts'
import { type Block, type BlockTrust, type Header, readBlock } from './block.ts'
import { type Bucket, blockPath } from './bucket.ts'
import { type BlockFault, fault } from './fault.ts'
import { LIMITS } from './limits.ts'
import { at } from './shape.ts'

/** What a whole lane adds to the duel. */
export interface Lane {
  readonly tallies: Readonly<Record<string, Tally>>
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
  readonly read: (hash: Hash) => Promise<Result<Block, BlockFault>>
}

/** C: what a validator puts on chain before the beacon, so that it cannot choose its challenges. */
export function commitmentOf(
  parts: Pick<Header, 'genesis' | 'netuid' | 'validator' | 'epoch'> & { readonly secret: Hash },
): Hash {
  const { genesis, netuid, validator, epoch, secret } = parts
  return digest('commit', genesis, netuid, validator, epoch, secret)
}

/** Reads blocks out of one bucket. Trying another when a block is missing or altered is the caller's. */
export function blockReader(bucket: Pick<Bucket, 'read'>, trust: Omit<BlockTrust, 'hash'>): LaneRequest['read'] {
  return async (hash) => {
    const bytes = await bucket.read(blockPath(hash), LIMITS.blockBytes)
    return bytes === null ? fault('MISSING_BLOCK', 'not in the bucket') : readBlock(bytes, { ...trust, hash })
  }
}

/**
 * Is everything that a validator sealed in an epoch as the protocol has it? All or nothing: the first fault voids the
 * lane, for otherwise spoiling a sample would be a way to drop it. Every transcript is replayed.
 *
 * Holds one block at a time, and reads at most one more than the quota has samples, whatever the head says. Does not
 * say that the miners really gave these replies: nothing in a lane can show that.
 *
 * Rejects with what `read` rejects with, and with what `auditSamples` throws for a scope that makes no sense.
 */
export async function verifyLane({ head, previous, scope, read }: LaneRequest): Promise<Result<Lane, BlockFault>> {
  const blocks: Hash[] = []
  let found = await readPlaced(read, head, scope)
  const secret = found.ok ? secretOf(found.value.header, scope) : found
  if (!secret.ok) return at(`block ${head}`, secret)
  const audit = auditSamples(scope, secret.value)

  for (let hash = head; found.ok; ) {
    const { header, samples } = found.value
    for (const [i, sample] of samples.entries()) {
      const wrong = audit.add(sample)
      if (wrong) return at(`block ${hash}, line ${i + 2}, ${sample.env} ${sample.index}`, wrong)
    }
    blocks.push(hash)
    if (header.height === 0) {
      if (header.prev !== previous)
        return fault('WRONG_PREVIOUS', `block ${hash}: expected ${previous}, got ${header.prev}`)
      const tallies = audit.finish()
      return tallies.ok ? { ok: true, value: { tallies: tallies.value, blocks } } : tallies
    }
    hash = header.prev
    found = await readPlaced(read, hash, scope, header)
    if (!found.ok) return at(`block ${hash}`, found)
  }
  return found
}

/** A block that is where it should be: the lane's last one, or the one just before the block with the header `next`. */
async function readPlaced(
  read: LaneRequest['read'],
  hash: Hash,
  scope: Scope,
  next?: Header,
): Promise<Result<Block, BlockFault>> {
  const found = await read(hash)
  if (!found.ok) return found
  const { header } = found.value
  if (found.value.hash !== hash) return fault('WRONG_HASH', `expected ${hash}, got ${found.value.hash}`)
  for (const key of ['genesis', 'netuid', 'validator', 'epoch'] as const) {
    if (header[key] !== scope[key]) return fault('WRONG_SCOPE', `${key}: expected ${scope[key]}, got ${header[key]}`)
  }
  if (next === undefined) return found
  if (header.height !== next.height - 1)
    return fault('WRONG_HEIGHT', `expected ${next.height - 1}, got ${header.height}`)
  if (header.secret !== undefined) return fault('EARLY_SECRET', 'only the last block reveals the secret')
  return header.count > 0 ? found : fault('EMPTY_BLOCK', 'only the last block may hold no samples')
}

/** The secret that a lane's last block reveals. Refuses, before any walking, a height that the quota cannot fill. */
function secretOf({ secret, height }: Header, scope: Scope): Result<Hash, BlockFault> {
  if (secret === undefined) return fault('NO_SECRET', 'the last block does not reveal the secret')
  const commitment = commitmentOf({ ...scope, secret })
  if (commitment !== scope.commitment) return fault('WRONG_SECRET', `expected that of ${scope.commitment}`)
  const most = Object.values(scope.quota).reduce((sum, quota) => sum + quota, 0)
  return height <= most
    ? { ok: true, value: secret }
    : fault('LANE_TOO_LONG', `expected height 0..${most}, got ${height}`)
}
