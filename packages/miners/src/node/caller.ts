import type { Caller } from '../query.ts'
import { exchange } from './exchange.ts'

/** Node's own network, clock and randomness. */
export const NODE_CALLER: Caller = { exchange, now: Date.now, random: Math.random }
