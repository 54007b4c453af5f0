import type { Caller } from '../query.ts'
import { exchange } from './exchange.ts'

/** Since 1970, but even while the machine's clock is set: it is for how long things take. */
const now = (): number => Math.round(performance.timeOrigin + performance.now())

/** Node's own network, clock and randomness. */
export const NODE_CALLER: Caller = { exchange, now, random: Math.random }
