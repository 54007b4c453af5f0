import type { Hash } from '@affine/prng'

/** What a network agrees on for one environment. Protocol §9.2. */
export type EnvConstants = {
  /** The digest of its behaviour. */
  readonly specHash: Hash
  /** 2 where a challenge is a game of the two miners, else 1. */
  readonly players: number
  /**
   * Challenges a lane plays in it while it is open: doubling from a duel's first epoch, up to the
   * most.
   */
  readonly quotaFirst: number
  readonly quotaMost: number
}

/** By exact id, `name@semver`. */
export type EnvsConstants = Readonly<Record<string, EnvConstants>>

const ONE_PLAYER = { players: 1, quotaFirst: 32, quotaMost: 512 }
const HEX: EnvConstants = {
  specHash: '7430b80d84761fbe0aefb80248308c4fe130d03aac0e532e6b8608164922de03',
  players: 2,
  quotaFirst: 8,
  quotaMost: 64,
}
const PACK: EnvConstants = {
  specHash: '492b1b50154f262ce048fc61f46071a55441b3e211914b9fab78bde942cdf522',
  ...ONE_PLAYER,
}

/** The main network's. */
export const MAIN_ENVS: EnvsConstants = frozen({
  'hex@0.1.0': HEX,
  'mult8@0.1.0': {
    specHash: '8ffad8c375a3e28c431141fbd60e6b007da79116f0a0f9ea960fa4bed3c667dd',
    ...ONE_PLAYER,
  },
  'pack@0.1.0': PACK,
  'tictactoe@0.1.0': {
    specHash: 'a19f467002a3b4d36f3aac8f4f7f77c9d34b77c61f7aa724c4bb9379fbe8ce46',
    ...ONE_PLAYER,
  },
})

/** A local network's: fewer of the challenges that take long. */
export const LOCAL_ENVS: EnvsConstants = frozen({
  ...MAIN_ENVS,
  'hex@0.1.0': { ...HEX, quotaFirst: 4, quotaMost: 16 },
  'pack@0.1.0': { ...PACK, quotaFirst: 16, quotaMost: 128 },
})

function frozen(envs: EnvsConstants): EnvsConstants {
  const each = Object.entries(envs).map(([env, constants]) => [env, Object.freeze(constants)])
  return Object.freeze(Object.fromEntries(each))
}

/**
 * Challenges a lane plays in an open environment in the `epochIndex`-th epoch (from 1) of a duel.
 * Protocol §8.2.
 */
export function quotaOf(
  epochIndex: number,
  { quotaFirst, quotaMost }: Pick<EnvConstants, 'quotaFirst' | 'quotaMost'>,
): number {
  return Math.min(quotaFirst * 2 ** (epochIndex - 1), quotaMost)
}
