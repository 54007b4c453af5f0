/** The two sides of a duel. */
export const SIDES = ['champion', 'contender'] as const

export type Side = (typeof SIDES)[number]

/** A challenge that was lost: where it is, and why, if it was forfeited. */
export interface Lost {
  readonly block: string
  readonly line: number
  readonly env: string
  readonly index: number
  readonly forfeit: string | undefined
}

/** What one side of a duel did in the lanes that count. */
export interface Deeds {
  challenges: number
  won: number
  lost: number
  /** How often it forfeited, by the way. */
  readonly forfeits: Record<string, number>
  /** The last that it lost. */
  readonly losses: Lost[]
}

/** All of them as one. */
export function sumDeeds(all: readonly Deeds[]): Deeds {
  const sum: Deeds = { challenges: 0, won: 0, lost: 0, forfeits: {}, losses: [] }
  for (const { challenges, won, lost, forfeits, losses } of all) {
    sum.challenges += challenges
    sum.won += won
    sum.lost += lost
    for (const [way, count] of Object.entries(forfeits))
      sum.forfeits[way] = (sum.forfeits[way] ?? 0) + count
    sum.losses.push(...losses)
  }
  return sum
}
