import type { SaltStore } from './salts.ts'

/** What setting weights takes besides the chain. */
export interface WeightMeans {
  readonly netuid: number
  readonly salts?: SaltStore | undefined
  readonly random: (size: number) => Uint8Array
  readonly now: () => number
}
