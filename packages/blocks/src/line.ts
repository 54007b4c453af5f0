import type { EnvSpec, PerSide, RecordedMessage, Transcript } from '@affine/envs'
import { type Hash, parseCanonical } from '@affine/prng'
import { anyText, hex, int, list, oneOf, record, type Shape, text, uint } from '@affine/prng/shape'
import { type BlockFault, type EvidenceResult, fault } from './fault.ts'

/** Limits of a block. Sizes of lines exclude the line feed. Protocol §6.3. */
export const LIMITS = {
  headerBytes: 1024,
  sampleBytes: 131_072,
  blockSamples: 2048,
  /**
   * Total of all samples, with line feeds. The rest of `blockBytes` is for the largest header and a
   * signature.
   */
  roomBytes: 8_386_560,
  blockBytes: 8_388_608,
  invocationBytes: 128,
} as const

/**
 * Reports whether `samples` lines of `bytes` bytes in total, with line feeds, fit in a block.
 * Protocol §6.2.
 */
export const isWithinBlock = (samples: number, bytes: number): boolean =>
  samples <= LIMITS.blockSamples && bytes <= LIMITS.roomBytes

/** A block's first line. Protocol §6.2. */
export interface Header {
  readonly v: 1
  readonly genesis: Hash
  readonly netuid: number
  /** Hotkey of the signer. */
  readonly validator: string
  readonly epoch: number
  /** 0 for an epoch's first block. */
  readonly height: number
  /** Hash of the block before, also across epochs; `NO_BLOCK` for the validator's first block. */
  readonly prev: Hash
  readonly count: number
  readonly root: Hash
  /** Integer milliseconds; no decision depends on them. */
  readonly time: number
  /** The secret to which the validator had committed. Only in an epoch's last block. */
  readonly secret?: Hash
}

/**
 * One miner's conversation about a challenge. With a `fault` it ends in a prompt without a usable
 * reply, or is empty because its game was never begun. Protocol §6.1.
 */
export interface Episode extends Transcript {
  /** Hotkey. */
  readonly miner: string
  readonly ms: number
}

/** One challenge of a lane. Protocol §4. */
export interface LaneChallenge {
  /** `name@semver` */
  readonly env: string
  readonly index: number
  readonly challengeId: string
}

/**
 * A challenge as the champion and a contender played it: a game, which is one sample, or the two
 * samples of a challenge for one player.
 */
export interface ChallengePair extends LaneChallenge, PerSide<Episode> {}

/** One miner's episode of a challenge for one player. Protocol §6.1. */
export interface EpisodeSample extends LaneChallenge, Episode {}

/** A line of a block, from the third on: an episode of one miner, or a game. Protocol §6.1. */
export type Sample = EpisodeSample | ChallengePair

export const listEpisodes = (sample: Sample): readonly Episode[] =>
  'miner' in sample ? [sample] : [sample.champion, sample.contender]

/**
 * Returns a function that takes the samples of a lane in order, and returns a pair for each game
 * and for each contender's episode, and undefined for the champion's episode.
 */
export function createPairing(): (sample: Sample) => ChallengePair | undefined {
  let first: EpisodeSample | undefined
  return (sample) => {
    if (!('miner' in sample)) return sample
    // The first episode of a challenge is the champion's.
    if (first?.challengeId !== sample.challengeId) {
      first = sample
      return undefined
    }
    const { env, index, challengeId } = sample
    return { env, index, challengeId, champion: toEpisode(first), contender: toEpisode(sample) }
  }
}

function toEpisode({ env, index, challengeId, ...episode }: EpisodeSample): Episode {
  return episode
}

/** A contender's result in one challenge. Protocol §6.5. */
export type ChallengeVerdict = 'win' | 'loss' | 'tie'

/** Returns points: a reward in ppm of the environment's range, rounded down. Protocol §6.5. */
export function computePoints(reward: number, { lowestReward, highestReward }: EnvSpec): number {
  return Math.floor((1_000_000 * (reward - lowestReward)) / (highestReward - lowestReward))
}

/** Returns the contender's result. The higher reward wins. Protocol §6.5. */
export function compareRewards({ champion, contender }: PerSide<number>): ChallengeVerdict {
  if (contender > champion) return 'win'
  if (contender < champion) return 'loss'
  return 'tie'
}

/**
 * The form of every SS58 text of 32 bytes under prefix 42. Verifying a signature also checks the
 * checksum. Protocol §1.4.
 */
const hotkey: Shape<string> = text('an SS58 address', /^5[1-9A-HJ-NP-Za-km-z]{47}$/)
/**
 * The form of every base58 text of 32 bytes. Verifying the lane also checks its value. Protocol
 * §1.4.
 */
const challengeId = text('base58 of 32 bytes', /^[1-9A-HJ-NP-Za-km-z]{32,44}$/)
/** Returns a shape of ASCII without spaces, safe to print. Protocol §6.1. */
const visibleAscii = (max: number): Shape<string> =>
  text(`1 to ${max} visible ASCII characters`, new RegExp(`^[!-~]{1,${max}}$`))

const header = record<Header>(
  {
    v: oneOf(1),
    genesis: hex(32),
    netuid: uint(0xffff),
    validator: hotkey,
    epoch: uint(0xffff_ffff),
    height: uint(0xffff_ffff),
    prev: hex(32),
    count: uint(LIMITS.blockSamples),
    root: hex(32),
    time: uint(),
    secret: hex(32),
  },
  ['secret'],
)

const content = anyText(LIMITS.sampleBytes)
const prompt = record<Pick<RecordedMessage, 'role' | 'content'>>({ role: oneOf('user'), content })
const reply = record<RecordedMessage>(
  {
    role: oneOf('assistant'),
    content,
    invocation: visibleAscii(LIMITS.invocationBytes),
    ms: uint(),
  },
  ['invocation', 'ms'],
)
const message: Shape<RecordedMessage> = (value) => {
  const isReply = Object(value).role === 'assistant'
  return isReply ? reply(value) : prompt(value)
}

const challengeShape = { env: visibleAscii(64), index: uint(), challengeId }
const episodeShape = {
  miner: hotkey,
  messages: list(message),
  reward: int(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
  ms: uint(),
  fault: oneOf('no-reply'),
}
const episode = record<Episode>(episodeShape, ['fault'])
const episodeSample = record<EpisodeSample>({ ...challengeShape, ...episodeShape }, ['fault'])
const game = record<ChallengePair>({ ...challengeShape, champion: episode, contender: episode })
const sample: Shape<Sample> = (value) => {
  const isGame = Object.hasOwn(Object(value), 'champion')
  return isGame ? game(value) : episodeSample(value)
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Returns the text of the bytes, with any byte order mark, or '' if they are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    return ''
  }
}

/**
 * Returns the value of a line if it has at most `limit` bytes, is canonical JSON in UTF-8, and has
 * the shape; otherwise a fault with `code`. Never throws.
 */
export function readLine<T>(
  line: Uint8Array,
  limit: number,
  shape: Shape<T>,
  code: BlockFault,
): EvidenceResult<T> {
  if (line.length > limit) return fault(code, `expected at most ${limit} bytes, got ${line.length}`)
  const parsed = parseCanonical(decodeUtf8(line))
  if (!parsed.ok) return fault(code, parsed.detail)
  return conform(parsed.value, shape, code)
}

/** Reads a header. Verifies only its schema. Protocol §6.2. */
export const readHeader = (line: Uint8Array): EvidenceResult<Header> =>
  readLine(line, LIMITS.headerBytes, header, 'BAD_HEADER')

/** Reads a sample. Verifies only its schema. Protocol §6.1. */
export const readSample = (line: Uint8Array): EvidenceResult<Sample> =>
  readLine(line, LIMITS.sampleBytes, sample, 'BAD_SAMPLE')

/**
 * Returns the value if it has the shape, otherwise a fault that quotes neither values nor unknown
 * keys.
 */
export function conform<T>(value: unknown, shape: Shape<T>, code: BlockFault): EvidenceResult<T> {
  const wrong = shape(value)
  if (wrong === undefined) return { ok: true, value: value as T }
  return fault(code, wrong.replace(/^: /, ''))
}
