import { digestsAfter, type Hash } from '@affine/prng'
import { base58, hex } from '@scure/base'

/**
 * Everything a challenge follows from. `genesis`, `specHash`, `beacon` and `secret` are 64
 * lower-case hex digits, `env` is an exact id, `name@version`, and `validator` an SS58 address.
 */
export type ChallengeParts = ChallengePlace &
  Readonly<
    Record<'genesis' | 'env' | 'specHash' | 'validator' | 'beacon' | 'secret', string> &
      Record<'netuid' | 'epoch', number>
  >

/** Which of an environment's challenges in a lane. */
export interface ChallengePlace {
  /** From 0. */
  readonly index: number
  /** Whose game with the champion: an SS58 address. Left out where all miners play the same. */
  readonly contender?: string | undefined
}

/** A challenge: its id, the base58 of 32 bytes, and its seed. */
export interface Challenge {
  readonly id: string
  readonly seed: bigint
}

/**
 * Returns a function that gives the challenges of one environment in one lane, which differ only by
 * their place. The last one is kept, since the miners of a challenge are asked one after the other.
 * Nobody can compute a challenge without `secret` and `beacon`. Protocol §4.
 *
 * Does not check the parts. @throws TypeError or RangeError as `canonicalize` does.
 */
export function challengesOf(
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

/** The id of one challenge. Protocol §4. */
export const challengeId = (parts: ChallengeParts): string => challengesOf(parts)(parts).id

/** What an episode follows from: a challenge id, or a seed. */
export type EpisodeOrigin = string | number | bigint

/** @throws TypeError for a text that is not a challenge id. */
export const resolveSeed = (origin: EpisodeOrigin): number | bigint =>
  typeof origin === 'string' ? seedOf(origin) : origin

/** A hash as a challenge id. Protocol §1.4. */
export function encodeId(hash: Hash): string {
  return base58.encode(hex.decode(hash))
}

/**
 * The seed of a challenge's random stream: 128 bits, never more, since above that SeedSequence has
 * trivial second preimages. Protocol §2.3.
 *
 * @throws TypeError unless `challengeId` is the base58 of 32 bytes.
 */
export function seedOf(challengeId: string): bigint {
  if (!isChallengeId(challengeId)) throw new TypeError('"challengeId" expected base58 of 32 bytes')
  return computeSeed(challengeId)
}

function computeSeed(challengeId: string): bigint {
  const hash = digestSeed(challengeId)
  for (let i = 0; i < 16; i++) seedView.setUint8(i, hash[i] ?? 0)
  return (seedView.getBigUint64(0) << 64n) | seedView.getBigUint64(8)
}

const digestSeed = /* @__PURE__ */ digestsAfter('seed')
// To ask a hash for its buffer takes longer than to copy it.
const seedView = /* @__PURE__ */ new DataView(new ArrayBuffer(16))

/**
 * Is `text` the base58 of 32 bytes? Takes hostile input and never throws; long text is refused
 * before it is decoded. Protocol §1.4.
 */
export const isChallengeId = (text: string): boolean =>
  typeof text === 'string' &&
  /^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(text) &&
  base58.decode(text).length === 32

/** A seed that nobody knows before: 128 bits of the Web Crypto API. */
export function drawSeed(): bigint {
  const words = crypto.getRandomValues(new BigUint64Array(2))
  return words.reduce((seed, word) => (seed << 64n) | word, 0n)
}
