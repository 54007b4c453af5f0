import { PROTOCOL, quotaOf } from '../src/index.ts'

/** Challenges that a lane plays, by epoch of a duel. */
export type Quotas = readonly number[]

const quotasWith = (quotaFirst: number, quotaMost: number): Quotas =>
  Array.from({ length: PROTOCOL.duelEpochs }, (_, i) =>
    quotaOf(i + 1, { ...PROTOCOL, quotaFirst, quotaMost }),
  )

/** Those of the main network's environments for one player. */
export const SINGLE: Quotas = quotasWith(32, 512)
/** Those of its games, which take longer. */
export const GAME: Quotas = quotasWith(8, 64)
