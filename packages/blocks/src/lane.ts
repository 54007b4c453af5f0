import { challengeId, type Env, make, replay } from '@affine/envs'
import { digest, type Hash } from '@affine/prng'
import { type Block, type BlockTrust, readBlock } from './block.ts'
import { type Bucket, blockPath } from './bucket.ts'
import { at, type Failure, fault, type Read, unlike } from './fault.ts'
import { type Header, LIMITS, type Sample } from './line.ts'

type Role = 'champion' | 'contender'

/** What all blocks of one lane share. */
type LaneId = Pick<Header, 'genesis' | 'netuid' | 'validator' | 'epoch'>

/** What a lane has to be about, all of it known from the chain before the lane is read. */
export interface Scope extends LaneId {
  /** Hash of the epoch's first block. */
  readonly beacon: Hash
  /** The snapshot's C, see `commitmentOf`. */
  readonly commitment: Hash
  readonly duel: { readonly id: Hash } & Readonly<Record<Role, { readonly hotkey: string }>>
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
    return bytes === null
      ? fault('MISSING_BLOCK', 'not in the bucket')
      : readBlock(bytes, { ...trust, hash })
  }
}

/** C: what a validator puts on chain before the beacon, so that it cannot choose its challenges. */
export function commitmentOf({
  genesis,
  netuid,
  validator,
  epoch,
  secret,
}: LaneId & { readonly secret: Hash }): Hash {
  return digest('commit', genesis, netuid, validator, epoch, secret)
}

const placeOf = ({ genesis, netuid, validator, epoch }: LaneId) =>
  `${genesis} ${netuid} ${validator} ${epoch}`

/**
 * Is everything that a validator sealed in an epoch as the protocol has it? All or nothing: the
 * first fault voids the lane, for otherwise spoiling a sample would be a way to drop it. Every
 * transcript is replayed.
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
  const { due, tallies, add } = auditSamples(scope)
  const blocks: Hash[] = []
  let secret = ''
  let next: Header | undefined
  for (let hash = head; next?.height !== 0; hash = next.prev) {
    const found = await read(hash)
    if (!found.ok) return at(`block ${hash}`, found)
    const { header, samples } = found.value
    // Only the last block reveals the secret. Its height is free, up to what the quota can fill.
    const revealed =
      header.secret === undefined ? 'none' : commitmentOf({ ...scope, secret: header.secret })
    const misplaced =
      unlike('WRONG_HASH', found.value.hash, hash) ??
      unlike('WRONG_SCOPE', placeOf(header), placeOf(scope)) ??
      unlike('WRONG_SECRET', revealed, next ? 'none' : scope.commitment) ??
      unlike(
        'WRONG_HEIGHT',
        header.height,
        next ? next.height - 1 : Math.min(header.height, due.size),
      ) ??
      (next && header.count === 0
        ? fault('EMPTY_BLOCK', 'only the last block may hold no samples')
        : null)
    if (misplaced) return at(`block ${hash}`, misplaced)
    secret = header.secret ?? secret
    for (const [i, sample] of samples.entries()) {
      const wrong = add(sample, secret)
      if (wrong) return at(`block ${hash}, line ${i + 2}, ${sample.env} ${sample.index}`, wrong)
    }
    blocks.push(hash)
    next = header
  }
  const [missing] = due.keys()
  const lost = missing === undefined ? null : fault('MISSING_INDEX', `${missing}: no sample`)
  return (
    unlike('WRONG_PREVIOUS', next.prev, previous) ??
    lost ?? { ok: true, value: { tallies, blocks } }
  )
}

/**
 * The samples of one lane, to `add` in any order, none after a fault. `due` are the places, an
 * environment's id and an index each, whose sample was not added yet; the tallies hold once there
 * are none.
 */
function auditSamples(scope: Scope) {
  const { duel, quota, specHashes } = scope
  const due = new Map<
    string,
    { env: Env; specHash: Hash; tally: { wins: number; losses: number } }
  >()
  const tallies: Record<string, Tally> = {}
  const invocations = new Set<string>()
  for (const [name, played] of Object.entries(quota)) {
    const specHash = specHashes[name]
    if (specHash === undefined)
      throw new TypeError(`"specHashes" expected one for ${name}, got none`)
    const tally = { wins: 0, losses: 0, played }
    tallies[name] = tally
    const course = { env: make(name), specHash, tally }
    for (let index = 0; index < played; index++) due.set(`${name} ${index}`, course)
  }

  function add(sample: Sample, secret: Hash): Failure | null {
    const place = `${sample.env} ${sample.index}`
    const course = due.get(place)
    if (!course) return fault('WRONG_INDEX', 'not in the quota, or a second sample of it')
    due.delete(place)
    const id = challengeId({
      ...sample,
      ...scope,
      specHash: course.specHash,
      duel: duel.id,
      secret,
    })
    // The higher reward wins.
    const lead = sample.contender.reward - sample.champion.reward
    const wrong =
      unlike('WRONG_CHALLENGE', `${sample.challengeId} of ${sample.duel}`, `${id} of ${duel.id}`) ??
      episodeFault('champion', sample, course.env) ??
      episodeFault('contender', sample, course.env) ??
      unlike('WRONG_VERDICT', sample.verdict, lead > 0 ? 'win' : lead < 0 ? 'loss' : 'tie')
    if (sample.verdict === 'win') course.tally.wins += 1
    if (sample.verdict === 'loss') course.tally.losses += 1
    return wrong
  }

  function episodeFault(role: Role, sample: Sample, env: Env): Failure | null {
    const { miner, messages, reward, fault: ending } = sample[role]
    for (const { invocation } of messages) {
      if (invocation === undefined) continue
      if (invocations.has(invocation)) return fault('REPEATED_INVOCATION', invocation)
      invocations.add(invocation)
    }
    const replayed = replay(env, sample.challengeId, messages)
    // Never BAD_CHALLENGE_ID, as the id was found right.
    if (!replayed.ok) return at(role, replayed as Failure)
    const wrong =
      unlike('WRONG_MINER', miner, duel[role].hotkey) ??
      unlike(
        'WRONG_FAULT',
        ending ? 'a fault' : 'none',
        replayed.value.fault ? 'a fault' : 'none',
      ) ??
      unlike('WRONG_REWARD', reward, replayed.value.reward)
    return wrong && at(role, wrong)
  }
  return { due, tallies, add }
}
