import { digest, type Hash } from '@affine/prng'
import type { Header } from './line.ts'

/** What all blocks of one lane share. */
export type LaneId = Pick<Header, 'genesis' | 'netuid' | 'validator' | 'epoch'>

/** What a lane has to be about, all of it known from the chain before the lane is read. */
export interface Scope extends LaneId {
  /** Hash of the epoch's first block. */
  readonly beacon: Hash
  /** The snapshot's C, see `commitmentOf`. */
  readonly commitment: Hash
  readonly duel: {
    readonly id: Hash
    readonly champion: { readonly hotkey: string }
    readonly contender: { readonly hotkey: string }
  }
  /** How many challenges, by the id of each open environment. */
  readonly quota: Readonly<Record<string, number>>
  readonly specHashes: Readonly<Record<string, Hash>>
}

/**
 * C: what a validator puts on chain before the beacon, so that it cannot choose its challenges.
 * Protocol §4.
 */
export function commitmentOf({
  genesis,
  netuid,
  validator,
  epoch,
  secret,
}: LaneId & { readonly secret: Hash }): Hash {
  return digest('commit', genesis, netuid, validator, epoch, secret)
}

/** How many samples a whole lane has to hold. */
export const samplesIn = ({ quota }: Pick<Scope, 'quota'>): number =>
  Object.values(quota).reduce((sum, samples) => sum + samples, 0)
