import { type LaneRule, makeSoleRule, PROTOCOL } from '../src/index.ts'

/** The main network's rule of an environment that decides alone. */
export const ALONE: LaneRule = makeSoleRule(PROTOCOL)

/**
 * The promises of docs/guarantees.md: the maximum share of false wins of a contender exactly at the
 * ratio, with other environments and alone; the minimum share of wins of a contender with p = 0.6
 * at the shares of ties in `TIED_MOST`; the minimum share of lists in which an original becomes
 * champion among its copies, without liars and with.
 */
export const PROMISED = {
  falseWins: 0.05,
  falseWinsAlone: 0.0025,
  rightWins: 0.95,
  original: 0.93,
  originalAmongLiars: 0.75,
} as const

/** Maximum share of ties at which a better contender wins, by lanes: with liars and without. */
export const TIED_MOST = [
  { lanes: 4, liars: 0.65, honest: 0.8 },
  { lanes: 16, liars: 0.8, honest: 0.9 },
  { lanes: 64, liars: 0.9, honest: 0.94 },
] as const
