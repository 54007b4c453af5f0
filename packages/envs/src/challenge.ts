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

/** The challenges of one environment in one lane. */
export interface Challenges {
  /** The id: base58 of 32 bytes. */
  idOf(place: ChallengePlace): string
  /**
   * The seed, if that text is the id; else undefined. Takes hostile input and never throws; to
   * compare bytes is quicker than to write an id.
   */
  seedIf(place: ChallengePlace, id: string): bigint | undefined
}

/**
 * The challenges that differ by their place alone: what else they follow from is written once.
 * Whoever lacks `secret` or `beacon` cannot tell them. The parts are taken as they are; only what
 * canonical JSON refuses (floats, undefined) throws. Protocol §4.
 */
export function challengesOf(parts: Omit<ChallengeParts, keyof ChallengePlace>): Challenges {
  const { genesis, netuid, env, specHash, validator, epoch, beacon, secret } = parts
  const shared = [genesis, netuid, env, specHash, validator, epoch, beacon, secret]
  const digestAfter = digestsAfter('challenge', ...shared)
  const digestOf = ({ index, contender = '' }: ChallengePlace) => digestAfter(index, contender)
  return {
    idOf: (place) => base58.encode(digestOf(place)),
    seedIf: (place, id) => {
      const hash = digestOf(place)
      const said = decodeId(id)
      if (said === undefined) return undefined
      for (let i = 0; i < 32; i++) if (said[i] !== hash[i]) return undefined
      return seedOfChecked(id)
    },
  }
}

/** The id of one challenge. Protocol §4. */
export const challengeId = (parts: ChallengeParts): string => challengesOf(parts).idOf(parts)

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
  return seedOfChecked(challengeId)
}

/**
 * The same for what is known to be a challenge id: to decode base58 once more costs as much as a
 * short episode.
 */
export function seedOfChecked(challengeId: string): bigint {
  const hash = seedDigestOf(challengeId)
  for (let i = 0; i < 16; i++) seedView.setUint8(i, hash[i] ?? 0)
  return (seedView.getBigUint64(0) << 64n) | seedView.getBigUint64(8)
}

const seedDigestOf = /* @__PURE__ */ digestsAfter('seed')
// To ask a hash for its buffer takes longer than to copy it.
const seedView = /* @__PURE__ */ new DataView(new ArrayBuffer(16))

/**
 * Is `text` the base58 of 32 bytes? Takes hostile input and never throws; long text is refused
 * before it is decoded. Protocol §1.4.
 */
export const isChallengeId = (text: string): boolean => decodeId(text) !== undefined

/** The hash that a challenge id encodes; undefined if it is not valid. Protocol §1.4. */
function decodeId(text: string): Uint8Array | undefined {
  if (typeof text !== 'string' || !/^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(text)) return undefined
  const hash = base58.decode(text)
  return hash.length === 32 ? hash : undefined
}

/** A seed that nobody knows before: 128 bits of the Web Crypto API. */
export function drawnSeed(): bigint {
  const words = crypto.getRandomValues(new BigUint64Array(2))
  return words.reduce((seed, word) => (seed << 64n) | word, 0n)
}
