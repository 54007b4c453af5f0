import type { DuelFacts } from './duel-facts.ts'

/** The two sides of a duel. */
export const SIDES = ['champion', 'contender'] as const

export type Side = (typeof SIDES)[number]

/** The side on which a miner is in a duel, if it is. */
export const sideOf = (hotkey: string, duel: Pick<DuelFacts, Side> | undefined): Side | undefined =>
  SIDES.find((side) => duel?.[side].hotkey === hotkey)

/** How a duel stands for one side. */
export type DuelResult = 'won' | 'lost' | 'open'

export function resultFor(side: Side, { end }: Pick<DuelFacts, 'end'>): DuelResult {
  if (end === undefined) return 'open'
  return end.winner === side ? 'won' : 'lost'
}
