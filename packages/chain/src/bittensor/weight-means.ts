import type { SaltStore } from './salts.ts'

/** What it takes to set weights, besides the chain. */
export interface WeightMeans {
  readonly netuid: number
  readonly salts?: SaltStore | undefined
  readonly random: (size: number) => Uint8Array
  readonly now: () => number
}
