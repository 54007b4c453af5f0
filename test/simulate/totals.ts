import type { DuelEnd } from './check.ts'

/** Maximum share of winners among contenders no better than the ratio. */
const FALSE_MOST = 0.05
/** Minimum share of winners among far better contenders. */
const RIGHT_LEAST = 0.9
/** Reports whether most challenges are decisive and the contender wins nearly all of these. */
const isFarBetter = ({ decisive, rate }: DuelEnd): boolean => decisive >= 0.5 && rate >= 0.95

interface Share {
  readonly of: number
  readonly count: number
}

/**
 * Totals of the duels of all seeds: `falsely` of contenders no better than the ratio; `rightly` of
 * far better contenders whose duel had no epoch in which a third of the weight lied or had trouble.
 */
export interface Totals {
  readonly falsely: Share
  readonly rightly: Share
  /** A sentence for each broken promise. */
  readonly broken: readonly string[]
}

export function totalsOf(duels: readonly DuelEnd[]): Totals {
  const falsely = shareOf(duels.filter(({ rate, ratio }) => rate <= ratio))
  const rightly = shareOf(duels.filter((each) => !each.isTroubled && isFarBetter(each)))
  const broken: string[] = []
  if (falsely.count > maxCount(falsely.of, FALSE_MOST))
    broken.push(`${falsely.count} of ${falsely.of} won falsely`)
  if (rightly.of - rightly.count > maxCount(rightly.of, 1 - RIGHT_LEAST))
    broken.push(`only ${rightly.count} of ${rightly.of} far better ones won`)
  return { falsely, rightly, broken }
}

const shareOf = (duels: readonly DuelEnd[]): Share => ({
  of: duels.length,
  count: duels.filter(({ outcome }) => outcome === 'contender').length,
})

/**
 * Returns a count that a binomial exceeds once in a few thousand times: 3.5 standard deviations.
 */
const maxCount = (trials: number, rate: number): number =>
  trials * rate + 3.5 * Math.sqrt(trials * rate * (1 - rate)) + 1
