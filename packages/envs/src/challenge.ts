import { digest, type Hash } from '@affine/prng'
import { base58, hex } from '@scure/base'

/**
 * Everything a challenge follows from. `genesis`, `specHash`, `duel`, `beacon` and `secret` are 64
 * lower-case hex digits, `env` is an exact id, `name@version`, and `validator` an SS58 address.
 */
export type ChallengeParts = Readonly<
  Record<'genesis' | 'env' | 'specHash' | 'duel' | 'validator' | 'beacon' | 'secret', string> &
    Record<'netuid' | 'epoch' | 'index', number>
>

/**
 * The id of one challenge: base58 of 32 bytes. Whoever lacks `secret` or `beacon` cannot tell it.
 * The parts are taken as they are; only what canonical JSON refuses (floats, undefined) throws.
 * Protocol §4.
 */
export function challengeId(parts: ChallengeParts): string {
  const { genesis, netuid, env, specHash, duel, validator, epoch, beacon, secret, index } = parts
  return encodeId(
    digest(
      'challenge',
      genesis,
      netuid,
      env,
      specHash,
      duel,
      validator,
      epoch,
      beacon,
      secret,
      index,
    ),
  )
}

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
  return BigInt(`0x${digest('seed', challengeId).slice(0, 32)}`)
}

/**
 * Is `text` the base58 of 32 bytes? Takes hostile input and never throws; long text is refused
 * before it is decoded. Protocol §1.4.
 */
export function isChallengeId(text: string): boolean {
  return (
    typeof text === 'string' &&
    /^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(text) &&
    base58.decode(text).length === 32
  )
}
