import { type LaneRule, loneRuleOf, PROTOCOL } from '../src/index.ts'

/** The main network's rule of an environment that decides alone. */
export const ALONE: LaneRule = loneRuleOf(PROTOCOL)

/**
 * What docs/guarantees.md promises: at most so many false wins of a contender exactly at the ratio,
 * beside other environments and alone; at least so many wins of one with p = 0.6 up to so many
 * ties.
 */
export const PROMISED = { falseWins: 0.05, falseWinsAlone: 0.0025, rightWins: 0.95 } as const
