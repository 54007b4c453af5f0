import { challengeId, type Env, make, replay } from '@affine/envs'
import { digest, type Hash } from '@affine/prng'
import type { Block, Header, LaneId } from './block.ts'
import { at, type Failure, fault, type Read, unlike } from './fault.ts'
import type { Sample } from './sample.ts'

type Role = 'champion' | 'contender'

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

/** C: what a validator puts on chain before the beacon, so that it cannot choose its challenges. */
export function commitmentOf({ genesis, netuid, validator, epoch, secret }: LaneId & { readonly secret: Hash }): Hash {
  return digest('commit', genesis, netuid, validator, epoch, secret)
}

/**
 * Is everything that a validator sealed in an epoch as the protocol has it? All or nothing: the first fault voids the
 * lane, for otherwise spoiling a sample would be a way to drop it. Every transcript is replayed.
 *
 * Holds one block at a time, and reads at most one more than the quota has samples, whatever the head says. Does not
 * say that the miners really gave these replies: nothing in a lane can show that.
 *
 * Rejects with what `read` rejects with, and with RangeError or TypeError for a scope that makes no sense: one with an
 * environment that is not registered or has no specHash.
 */
export async function verifyLane({ head, previous, scope, read }: LaneRequest): Promise<Read<Lane>> {
  async function readPlaced(hash: Hash, next?: Header): Promise<Read<Block>> {
    const found = await read(hash)
    if (!found.ok) return at(`block ${hash}`, found)
    const wrong = unlike('WRONG_HASH', found.value.hash, hash) ?? misplaced(found.value.header, scope, next)
    return wrong ? at(`block ${hash}`, wrong) : found
  }

  let found = await readPlaced(head)
  if (!found.ok) return found
  const { secret, height } = found.value.header
  if (secret === undefined) return fault('NO_SECRET', `block ${head}: the last block does not reveal the secret`)
  const unkept = unlike('WRONG_SECRET', commitmentOf({ ...scope, secret }), scope.commitment)
  if (unkept) return at(`block ${head}`, unkept)
  const { due, tallies, add } = auditSamples(scope, secret)
  // Before any walking: a height that the quota cannot fill.
  if (height > due.size) return fault('LANE_TOO_LONG', `block ${head}: expected height 0..${due.size}, got ${height}`)

  const blocks: Hash[] = []
  while (found.ok) {
    const { hash, header, samples } = found.value
    for (const [i, sample] of samples.entries()) {
      const wrong = add(sample)
      if (wrong) return at(`block ${hash}, line ${i + 2}, ${sample.env} ${sample.index}`, wrong)
    }
    blocks.push(hash)
    if (header.height === 0) {
      const [missing] = due
      const lost = missing === undefined ? null : fault('MISSING_INDEX', `${missing}: no sample`)
      return unlike('WRONG_PREVIOUS', header.prev, previous) ?? lost ?? { ok: true, value: { tallies, blocks } }
    }
    found = await readPlaced(header.prev, header)
  }
  return found
}

/** What is wrong with a block's place: the lane's last, or the one just before the block with the header `next`. */
function misplaced(header: Header, scope: Scope, next?: Header): Failure | null {
  for (const key of ['genesis', 'netuid', 'validator', 'epoch'] as const) {
    if (header[key] !== scope[key]) return fault('WRONG_SCOPE', `${key}: expected ${scope[key]}, got ${header[key]}`)
  }
  if (next === undefined) return null
  if (header.secret !== undefined) return fault('EARLY_SECRET', 'only the last block reveals the secret')
  if (header.count === 0) return fault('EMPTY_BLOCK', 'only the last block may hold no samples')
  return unlike('WRONG_HEIGHT', header.height, next.height - 1)
}

/**
 * The samples of one lane, to `add` in any order, none after a fault. `due` are the places, an environment's id and an
 * index each, whose sample was not added yet; the tallies hold once there are none.
 */
function auditSamples(scope: Scope, secret: Hash) {
  const { duel, quota, specHashes } = scope
  const schedule = new Map<string, { env: Env; id: string; tally: { wins: number; losses: number } }>()
  const tallies: Record<string, Tally> = {}
  const invocations = new Set<string>()
  for (const [name, played] of Object.entries(quota)) {
    const specHash = specHashes[name]
    if (specHash === undefined) throw new TypeError(`"specHashes" expected one for ${name}, got none`)
    const env = make(name)
    const tally = { wins: 0, losses: 0, played }
    tallies[name] = tally
    for (let index = 0; index < played; index++) {
      const id = challengeId({ ...scope, env: name, specHash, duel: duel.id, secret, index })
      schedule.set(`${name} ${index}`, { env, id, tally })
    }
  }
  const due = new Set(schedule.keys())

  function add(sample: Sample): Failure | null {
    const place = `${sample.env} ${sample.index}`
    const course = schedule.get(place)
    if (!course) return fault('WRONG_INDEX', 'not in the quota')
    if (!due.delete(place)) return fault('REPEATED_INDEX', 'a second sample of it')
    // The higher reward wins.
    const lead = sample.contender.reward - sample.champion.reward
    const wrong =
      unlike('WRONG_DUEL', sample.duel, duel.id) ??
      unlike('WRONG_CHALLENGE', sample.challengeId, course.id) ??
      episodeFault('champion', sample, course.env) ??
      episodeFault('contender', sample, course.env) ??
      unlike('WRONG_VERDICT', sample.verdict, lead > 0 ? 'win' : lead < 0 ? 'loss' : 'tie')
    if (wrong) return wrong
    if (sample.verdict === 'win') course.tally.wins += 1
    if (sample.verdict === 'loss') course.tally.losses += 1
    return null
  }

  function episodeFault(role: Role, sample: Sample, env: Env): Failure | null {
    const { miner, messages, reward, fault: ending } = sample[role]
    for (const { invocation } of messages) {
      if (invocation === undefined) continue
      if (invocations.has(invocation)) return fault('REPEATED_INVOCATION', invocation)
      invocations.add(invocation)
    }
    const replayed = replay(env, sample.challengeId, messages)
    if (!replayed.ok) return at(role, replayed)
    const wrong =
      unlike('WRONG_MINER', miner, duel[role].hotkey) ??
      unlike('WRONG_FAULT', ending ? 'a fault' : 'none', replayed.value.fault ? 'a fault' : 'none') ??
      unlike('WRONG_REWARD', reward, replayed.value.reward)
    return wrong && at(role, wrong)
  }
  return { due, tallies, add }
}
