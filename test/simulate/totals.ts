import type { DuelEnd } from './check.ts'

/**
 * The largest share of contenders, among those no better than the ratio, that may win their duel.
 */
const FALSE_MOST = 0.05
/** The smallest share of far better contenders that must win it. */
const RIGHT_LEAST = 0.9
/** Are most challenges decisive, and does the contender win nearly all of these? */
const isFarBetter = ({ decisive, rate }: DuelEnd): boolean => decisive >= 0.5 && rate >= 0.95

interface Share {
  readonly of: number
  readonly count: number
}

/**
 * The totals of the duels of all seeds: the false ones whoever had trouble, the right ones where less than a third of the weight lied or had trouble.
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
  if (falsely.count > mostOf(falsely.of, FALSE_MOST))
    broken.push(`${falsely.count} of ${falsely.of} won falsely`)
  if (rightly.of - rightly.count > mostOf(rightly.of, 1 - RIGHT_LEAST))
    broken.push(`only ${rightly.count} of ${rightly.of} far better ones won`)
  return { falsely, rightly, broken }
}

const shareOf = (duels: readonly DuelEnd[]): Share => ({
  of: duels.length,
  count: duels.filter(({ outcome }) => outcome === 'contender').length,
})

/**
 * A number that a binomial of this rate exceeds once in a few thousand times: 3.5 standard
 * deviations.
 */
const mostOf = (trials: number, rate: number): number =>
  trials * rate + 3.5 * Math.sqrt(trials * rate * (1 - rate)) + 1
