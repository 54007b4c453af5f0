import { SIDES, type Side } from '@affine/envs'
import type { DuelFacts } from './duel-facts.ts'

export { SIDES, type Side }

/** The side of a miner in a duel; undefined if it is not in it. */
export const sideOf = (hotkey: string, duel: Pick<DuelFacts, Side>): Side | undefined =>
  SIDES.find((side) => duel[side].hotkey === hotkey)

/** The result of a duel so far for one side. */
export type DuelResult = 'won' | 'lost' | 'open'

/** A champion that is dethroned by another contender has lost this duel neither way. */
export function resultFor(side: Side, { end }: Pick<DuelFacts, 'end'>): DuelResult {
  if (end === undefined) return 'open'
  const isWon = end === 'crowned'
  return (side === 'contender') === isWon ? 'won' : 'lost'
}
