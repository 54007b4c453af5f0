import type { Hash } from '@affine/prng'

/** A network's constants for one environment. Protocol §9.2. */
export type EnvConstants = {
  /** Digest of the behaviour. */
  readonly specHash: Hash
  /** 2 for a game of the two miners, otherwise 1. */
  readonly players: number
  /**
   * Challenges that a lane plays with a contender: `quotaFirst` in a duel's first epoch, then twice
   * as many each epoch, up to `quotaMost`.
   */
  readonly quotaFirst: number
  readonly quotaMost: number
}

/** Constants by exact environment id, `name@semver`. */
export type EnvsConstants = Readonly<Record<string, EnvConstants>>

const ONE_PLAYER = { players: 1, quotaFirst: 32, quotaMost: 512 }
const HEX: EnvConstants = {
  specHash: '41c39731637c8df7caaea06bc07fe120bcb7b96f2c17ec505d10677492246789',
  players: 2,
  quotaFirst: 8,
  quotaMost: 64,
}
const PACK: EnvConstants = {
  specHash: '365a43ef7cd1ceade0d8053a0895560fb61746dd6d0b7a54696e186ffdb19b22',
  ...ONE_PLAYER,
}

export const MAIN_ENVS: EnvsConstants = {
  'hex@0.1.0': HEX,
  'mult8@0.1.0': {
    specHash: '8acf99839b8d1880a156699fd1f0e180447373b1f973a30c4e9fdf4772755bcc',
    ...ONE_PLAYER,
  },
  'pack@0.1.0': PACK,
  'tictactoe@0.1.0': {
    specHash: '2424f500d3908c39d41fb37929f6db9a82493420964d0ed4e5b97520f5d0cdea',
    ...ONE_PLAYER,
  },
}

/** The environments of a local network, with fewer of the long challenges. */
export const LOCAL_ENVS: EnvsConstants = {
  ...MAIN_ENVS,
  'hex@0.1.0': { ...HEX, quotaFirst: 4, quotaMost: 24 },
  'pack@0.1.0': { ...PACK, quotaFirst: 16, quotaMost: 128 },
}

/**
 * Returns the number of challenges that a lane plays in an environment in epoch `epochIndex` (from
 * 1) of a duel. Protocol §8.2.
 */
export function computeQuota(
  epochIndex: number,
  { quotaFirst, quotaMost }: Pick<EnvConstants, 'quotaFirst' | 'quotaMost'>,
): number {
  return Math.min(quotaFirst * 2 ** (epochIndex - 1), quotaMost)
}
