import { digestsAfter, type Hash } from '@affine/prng'
import { base58, hex } from '@scure/base'

/**
 * The parts that determine a challenge. `genesis`, `specHash`, `beacon` and `secret` are 64
 * lower-case hex digits, `env` is an exact id, `name@version`, and `validator` an SS58 address.
 */
export type ChallengeParts = ChallengePlace &
  Readonly<
    Record<'genesis' | 'env' | 'specHash' | 'validator' | 'beacon' | 'secret', string> &
      Record<'netuid' | 'epoch', number>
  >

/** The position of a challenge among the challenges of its environment in a lane. */
export interface ChallengePlace {
  /** Index from 0. */
  readonly index: number
  /** SS58 address of the champion's opponent in a game. Omitted in environments of one player. */
  readonly contender?: string | undefined
}

/** A challenge: its id, the base58 of 32 bytes, and its 128-bit seed. */
export interface Challenge {
  readonly id: string
  readonly seed: bigint
}

/**
 * Returns a function that computes the challenges of one environment in one lane by their place. It
 * caches the last challenge, because the miners play it one after the other. Protocol §4.
 *
 * Does not check the parts. @throws TypeError or RangeError as `canonicalize` does.
 */
export function deriveChallenges(
  parts: Omit<ChallengeParts, keyof ChallengePlace>,
): (place: ChallengePlace) => Challenge {
  const { genesis, netuid, env, specHash, validator, epoch, beacon, secret } = parts
  const shared = [genesis, netuid, env, specHash, validator, epoch, beacon, secret]
  const digestAfter = digestsAfter('challenge', ...shared)
  let last: (Required<ChallengePlace> & Challenge) | undefined
  return ({ index, contender = '' }) => {
    if (last?.index === index && last.contender === contender) return last
    const id = base58.encode(digestAfter(index, contender))
    last = { index, contender, id, seed: computeSeed(id) }
    return last
  }
}

/** Returns the id of one challenge. Protocol §4. */
export const challengeId = (parts: ChallengeParts): string => deriveChallenges(parts)(parts).id

/** The origin of an episode's random stream: a challenge id, or a seed. */
export type EpisodeOrigin = string | number | bigint

/** Returns the seed of an origin. @throws TypeError for a text that is not a challenge id. */
export const resolveSeed = (origin: EpisodeOrigin): number | bigint =>
  typeof origin === 'string' ? deriveSeed(origin) : origin

/** Returns a hash as a challenge id. Protocol §1.4. */
export function encodeId(hash: Hash): string {
  return base58.encode(hex.decode(hash))
}

/**
 * Returns the 128-bit seed of a challenge's random stream. NumPy also accepts wider seeds, but it
 * is easy to find two wider seeds with the same stream. Protocol §2.3.
 *
 * @throws TypeError unless `challengeId` is the base58 of 32 bytes.
 */
export function deriveSeed(challengeId: string): bigint {
  if (!isChallengeId(challengeId)) throw new TypeError('"challengeId" expected base58 of 32 bytes')
  return computeSeed(challengeId)
}

function computeSeed(challengeId: string): bigint {
  const hash = digestSeed(challengeId)
  for (let i = 0; i < 16; i++) seedView.setUint8(i, hash[i] ?? 0)
  return (seedView.getBigUint64(0) << 64n) | seedView.getBigUint64(8)
}

const digestSeed = /* @__PURE__ */ digestsAfter('seed')
// Hashes are copied into this buffer, because access to a hash's own buffer takes longer.
const seedView = /* @__PURE__ */ new DataView(new ArrayBuffer(16))

/**
 * Reports whether `text` is the base58 of 32 bytes. Accepts hostile input and never throws. Rejects
 * long text before decoding. Protocol §1.4.
 */
export const isChallengeId = (text: string): boolean =>
  typeof text === 'string' &&
  /^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(text) &&
  base58.decode(text).length === 32

/** Returns an unpredictable seed: 128 bits from the Web Crypto API. */
export function drawSeed(): bigint {
  const words = crypto.getRandomValues(new BigUint64Array(2))
  return words.reduce((seed, word) => (seed << 64n) | word, 0n)
}
