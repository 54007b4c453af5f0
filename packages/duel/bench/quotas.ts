import { computeQuota, PROTOCOL } from '../src/index.ts'
import { constantsOf } from '../test/subnet.ts'

/** Number of challenges that a lane plays, by epoch of a duel. */
export type Quotas = readonly number[]

const quotasIn = (env: string): Quotas =>
  Array.from({ length: PROTOCOL.duelEpochs }, (_, i) => computeQuota(i + 1, constantsOf(env)))

/** The quotas of the main network's environments for one player. */
export const SINGLE: Quotas = quotasIn('mult8@0.1.0')
/** The quotas of the main network's games, which take longer. */
export const GAME: Quotas = quotasIn('hex@0.1.0')
