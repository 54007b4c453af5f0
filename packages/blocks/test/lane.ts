import { type Agent, make, type Side, specHash } from '@affine/envs'
import { canonicalize, digest, type Hash, type Json, pcg64 } from '@affine/prng'
import { blake3 } from '@noble/hashes/blake3.js'
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import {
  type Bucket,
  blockPath,
  type ChallengePair,
  computeMerkleRoot,
  createBlockReader,
  type EpisodeSample,
  type Header,
  hashBlock,
  hashCommitment,
  type LaneRequest,
  LIMITS,
  NO_BLOCK,
  type Sample,
  type Scope,
  type Verify,
} from '../src/index.ts'
import { playPlan } from './play-plan.ts'

export interface Key {
  readonly hotkey: string
  readonly sign: (message: Uint8Array) => Uint8Array
  readonly verify: Verify
}

/** A stand-in for a key, for tests that are not about signatures. */
export const toy: Key = {
  hotkey: `5${'A'.repeat(47)}`,
  sign: (message) => blake3(message, { dkLen: 64 }),
  verify: (message, signature) =>
    bytesToHex(blake3(message, { dkLen: 64 })) === bytesToHex(signature),
}

export const SECRET: Hash = '5e'.repeat(32)
const DAY = 1_760_000_000_000

export const CHAMPION = `5${'B'.repeat(47)}`
export const CONTENDER = `5${'C'.repeat(47)}`

/** Returns the scope of a lane. Default of `quotas`: one contender with `quota`. */
export function scopeOf(
  validator: string,
  quota: Readonly<Record<string, number>>,
  quotas: Scope['quotas'] = { [CONTENDER]: quota },
): Scope {
  const id = { genesis: '9e'.repeat(32), netuid: 120, validator, epoch: 7 }
  const envs = Object.values(quotas).flatMap(Object.keys)
  return {
    ...id,
    beacon: 'be'.repeat(32),
    commitment: hashCommitment({ ...id, secret: SECRET }),
    champion: CHAMPION,
    quotas,
    specHashes: Object.fromEntries(envs.map((env) => [env, specHash(env)])),
  }
}

/**
 * Returns a deterministic player that is right with probability `skill`, and wrong or silent
 * otherwise.
 */
function player(env: string, skill: number, seed: string): Agent {
  const { spec } = make(env)
  const random = pcg64(BigInt(`0x${digest('player', seed).slice(0, 32)}`))
  let call = 0
  return (messages) => {
    const luck = random.random()
    const invocation = digest('invocation', seed, call++).slice(0, 24)
    const asked = { invocation, ms: random.integers(200, 5000) }
    const prompt = messages.at(-1)?.content ?? ''
    const good = spec.solve(prompt)
    if (luck < skill)
      return { content: `I weigh the lines and the threats they make.\n${good}`, ...asked }
    if (luck > 0.98) return { fault: 'no-reply' }
    if (luck > 0.96) return { content: 'x'.repeat(5000), ...asked }
    const wrong = luck > 0.94 ? 'I give up — 我不知道 \u{1f937}' : spec.guess(prompt, random)
    return { content: wrong, ...asked }
  }
}

/** Plays every sample of the plan, in order, as an honest validator does. */
export async function honestSamples(
  scope: Scope,
  contenderSkill = 0.8,
  championSkill = 0.6,
): Promise<Sample[]> {
  const samples = await playPlan(scope, SECRET, (miner, { env, challengeId }) => {
    const isChampion = miner === scope.champion
    const skill = isChampion ? championSkill : contenderSkill
    return player(env, skill, `${isChampion ? 'champion' : miner}${challengeId}`)
  })
  return [...samples]
}

/** Returns the episodes of one side in challenges for one player. */
export const episodesOf = (samples: readonly Sample[], side: Side): EpisodeSample[] =>
  samples.flatMap((sample) => {
    if (!('miner' in sample)) return []
    return (sample.miner === CHAMPION) === (side === 'champion') ? [sample] : []
  })

/** Returns the games. */
export const gamesOf = (samples: readonly Sample[]): ChallengePair[] =>
  samples.flatMap((sample) => ('miner' in sample ? [] : [sample]))

/** A block to write without any checks. A line is a value, or raw bytes. */
export interface Plan {
  readonly lines: readonly (Json | Sample | Uint8Array)[]
  /** Header fields that replace the correct ones. A field that is undefined is omitted. */
  readonly header?: { readonly [key in keyof Header]?: unknown }
}

/** Returns a block with any content, properly hashed and signed. */
export function forge(key: Key, header: object, plan: Plan): { hash: Hash; bytes: Uint8Array } {
  const lines = plan.lines.map((line) =>
    line instanceof Uint8Array ? line : utf8ToBytes(canonicalize(line as Json)),
  )
  const root = bytesToHex(computeMerkleRoot(lines))
  const fields = { v: 1, count: lines.length, root, ...header, ...plan.header }
  const defined = Object.entries(fields).filter(([, value]) => value !== undefined)
  const headerLine = utf8ToBytes(canonicalize(Object.fromEntries(defined) as Json))
  const hash = hashBlock(headerLine)
  const signature = utf8ToBytes(`{"signature":"${bytesToHex(key.sign(hexToBytes(hash)))}"}`)
  const feed = Uint8Array.of(10)
  const all = [headerLine, signature, ...lines].flatMap((line) => [line, feed])
  return { hash, bytes: concatBytes(...all) }
}

export interface Files extends LaneRequest {
  readonly bytes: Map<Hash, Uint8Array>
}

/**
 * Returns a lane of forged blocks in memory, the first block first, and the request that verifies
 * it.
 */
export function laneOf(
  key: Key,
  scope: Scope,
  plans: readonly Plan[],
  previous: Hash = NO_BLOCK,
): Files {
  const bytes = new Map<Hash, Uint8Array>()
  let prev = previous
  for (const [height, plan] of plans.entries()) {
    const { genesis, netuid, validator, epoch } = scope
    const header = { genesis, netuid, validator, epoch, height, prev, time: DAY + height }
    const last = height === plans.length - 1 ? { secret: SECRET } : {}
    const block = forge(key, { ...header, ...last }, plan)
    bytes.set(block.hash, block.bytes)
    prev = block.hash
  }
  const bucket: Pick<Bucket, 'read'> = {
    read: async (path) => [...bytes].find(([hash]) => blockPath(hash) === path)?.[1] ?? null,
  }
  const read = createBlockReader(bucket, key.verify)
  return { bytes, head: prev, previous, scope, read }
}

/** Returns samples in full blocks, with the rest in the last block. */
export function plansOf(samples: readonly Sample[], size: number = LIMITS.blockSamples): Plan[] {
  const count = Math.max(1, Math.ceil(samples.length / size))
  return Array.from({ length: count }, (_, i) => ({
    lines: samples.slice(i * size, (i + 1) * size),
  }))
}
