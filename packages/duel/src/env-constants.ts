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
  specHash: '9e17f0f45655e1a14ae8414235a53f85d003aed303bc85e66eb6e47d81c5d5b5',
  players: 2,
  quotaFirst: 8,
  quotaMost: 64,
}
const PACK: EnvConstants = {
  specHash: 'b30993e24ed8d408858c670f18a729032b8aee186d977446832084a7eb17a68f',
  ...ONE_PLAYER,
}

/** The main network's. */
export const MAIN_ENVS: EnvsConstants = frozen({
  'hex@0.1.0': HEX,
  'mult8@0.1.0': {
    specHash: '01d2e506c1f38d1addb948798203f8282491112423ed0116ea3102196aaa73ad',
    ...ONE_PLAYER,
  },
  'pack@0.1.0': PACK,
  'tictactoe@0.1.0': {
    specHash: '547d02d435cee644f1168fb130a5e88d160b681450a95d476d7f287adc9e48ca',
    ...ONE_PLAYER,
  },
})

/** A local network's: fewer of the challenges that take long. */
export const LOCAL_ENVS: EnvsConstants = frozen({
  ...MAIN_ENVS,
  'hex@0.1.0': { ...HEX, quotaFirst: 4, quotaMost: 24 },
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
