import { type LaneRule, makeSoleRule, PROTOCOL } from '../src/index.ts'

/** The main network's rule of an environment that decides alone. */
export const ALONE: LaneRule = makeSoleRule(PROTOCOL)

/**
 * What docs/guarantees.md promises: at most so many false wins of a contender exactly at the ratio,
 * beside other environments and alone; at least so many wins of one with p = 0.6 where `TIED_MOST`
 * are tied; at least so many lists in which an original has the throne among copies of it, without
 * liars and with.
 */
export const PROMISED = {
  falseWins: 0.05,
  falseWinsAlone: 0.0025,
  rightWins: 0.95,
  original: 0.93,
  originalAmongLiars: 0.75,
} as const

/** Up to so many ties a better contender wins, by lanes: against a third of liars, and without. */
export const TIED_MOST = [
  { lanes: 4, liars: 0.65, honest: 0.8 },
  { lanes: 16, liars: 0.8, honest: 0.9 },
  { lanes: 64, liars: 0.9, honest: 0.94 },
] as const
