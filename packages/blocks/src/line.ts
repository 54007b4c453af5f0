import type { Transcript } from '@affine/envs'
import { type Hash, parseCanonical } from '@affine/prng'
import * as z from 'zod'
import { type BlockFault, fault, type Read } from './fault.ts'

/** What a block may hold; its readers refuse more. Sizes of lines are without the line feed. */
export const LIMITS = {
  headerBytes: 1024,
  sampleBytes: 131_072,
  blockSamples: 256,
  blockBytes: 8_388_608,
  invocationBytes: 128,
} as const

/** A block's first line. */
export interface Header {
  readonly v: 1
  readonly genesis: Hash
  readonly netuid: number
  /** The hotkey that signs. */
  readonly validator: string
  readonly epoch: number
  /** From 0 in each epoch. */
  readonly height: number
  /** Hash of the block before, across epochs too; `NO_BLOCK` before the first of all. */
  readonly prev: Hash
  readonly count: number
  readonly root: Hash
  /** Integer milliseconds, for people: nothing is decided by it. */
  readonly time: number
  /** Only in an epoch's last block: what the validator had committed to. */
  readonly secret?: Hash
}

/**
 * One miner's way through a challenge. With a `fault` it ends in a prompt that got no usable reply.
 */
export interface Episode extends Transcript {
  /** The miner's hotkey. */
  readonly miner: string
  readonly ms: number
}

/** One challenge, played by both miners: a block's third line, and all after it. */
export interface Sample {
  /** `name@semver` */
  readonly env: string
  readonly duel: Hash
  readonly index: number
  readonly challengeId: string
  readonly champion: Episode
  readonly contender: Episode
  /** For the contender. */
  readonly verdict: 'win' | 'loss' | 'tie'
}

export const uint = (most: number = Number.MAX_SAFE_INTEGER): z.ZodType<number> =>
  z.int().min(0).max(most)
export const hex = (bytes: number): z.ZodType<string> =>
  z.string().regex(new RegExp(`^[0-9a-f]{${2 * bytes}}$`))
/**
 * SS58 text of 32 bytes under prefix 42 always has this form. Its checksum is for who verifies
 * signatures.
 */
const hotkey = z.string().regex(/^5[1-9A-HJ-NP-Za-km-z]{47}$/)
/**
 * The text of 32 bytes in base58 always has this form; whether it is the right one, the lane knows.
 */
const challengeId = z.string().regex(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/)
/** What people will see of it is safe to print as it is. */
const printable = (most: number) => z.string().regex(new RegExp(`^[!-~]{1,${most}}$`))

const header = z.strictObject({
  v: z.literal(1),
  genesis: hex(32),
  netuid: uint(0xffff),
  validator: hotkey,
  epoch: uint(0xffff_ffff),
  height: uint(0xffff_ffff),
  prev: hex(32),
  count: uint(LIMITS.blockSamples),
  root: hex(32),
  time: uint(),
  secret: hex(32).exactOptional(),
})

const message = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('user'), content: z.string() }),
  z.strictObject({
    role: z.literal('assistant'),
    content: z.string(),
    invocation: printable(LIMITS.invocationBytes).exactOptional(),
    ms: uint().exactOptional(),
  }),
])

const episode = z.strictObject({
  miner: hotkey,
  messages: z.array(message),
  reward: z.int(),
  ms: uint(),
  fault: z.enum(['no-reply', 'oversize']).exactOptional(),
})

const sample = z.strictObject({
  env: printable(64),
  duel: hex(32),
  index: uint(),
  challengeId,
  champion: episode,
  contender: episode,
  verdict: z.enum(['win', 'loss', 'tie']),
})

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The text of UTF-8 bytes, a byte order mark kept; of others none. */
export function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    return ''
  }
}

/**
 * The value if it has the shape, else where it has not: neither what is there nor an unknown key is
 * quoted.
 */
export function conform<T>(value: unknown, shape: z.ZodType<T>, code: BlockFault): Read<T> {
  const { data, error } = shape.safeParse(value)
  if (error === undefined) return { ok: true, value: data }
  const [issue] = error.issues
  return fault(code, `${issue?.code} at /${issue?.path.join('/')}`)
}

/**
 * The value of a line of at most `limit` bytes, of canonical JSON in UTF-8 and in a shape; else
 * `code`. Never throws.
 */
function readLine<T>(
  line: Uint8Array,
  limit: number,
  shape: z.ZodType<T>,
  code: BlockFault,
): Read<T> {
  if (line.length > limit) return fault(code, `expected at most ${limit} bytes, got ${line.length}`)
  const parsed = parseCanonical(decode(line))
  return parsed.ok ? conform(parsed.value, shape, code) : fault(code, parsed.detail)
}

export const readHeader = (line: Uint8Array): Read<Header> =>
  readLine(line, LIMITS.headerBytes, header, 'BAD_HEADER')

/** Says only that the shape is a sample's, not that anything in it is true. */
export const readSample = (line: Uint8Array): Read<Sample> =>
  readLine(line, LIMITS.sampleBytes, sample, 'BAD_SAMPLE')
