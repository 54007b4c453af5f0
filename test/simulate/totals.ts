import type { DuelEnd } from './check.ts'

/** At most so many of the contenders that are no better than the champion dethrone it. */
const FALSE_MOST = 0.05
/** At least so many of those that are far better do. */
const RIGHT_LEAST = 0.9
/** Most challenges are decisive, and nearly all of these are the contender's. */
const isFarBetter = ({ decisive, rate }: DuelEnd): boolean => decisive >= 0.5 && rate >= 0.95

interface Share {
  readonly of: number
  readonly count: number
}

/** What all seeds' duels came to: those in which less than a third lied or was disturbed. */
export interface Totals {
  readonly falsely: Share
  readonly rightly: Share
  /** What is not as promised, in words. */
  readonly broken: readonly string[]
}

export function totalsOf(duels: readonly DuelEnd[]): Totals {
  const fair = duels.filter(({ isFair }) => isFair)
  const falsely = shareOf(fair.filter(({ rate, ratio }) => rate <= ratio))
  const rightly = shareOf(fair.filter(isFarBetter))
  const broken: string[] = []
  if (falsely.count > mostOf(falsely.of, FALSE_MOST))
    broken.push(`${falsely.count} of ${falsely.of} dethroned falsely`)
  if (rightly.of - rightly.count > mostOf(rightly.of, 1 - RIGHT_LEAST))
    broken.push(`only ${rightly.count} of ${rightly.of} far better ones dethroned`)
  return { falsely, rightly, broken }
}

const shareOf = (duels: readonly DuelEnd[]): Share => ({
  of: duels.length,
  count: duels.filter(({ outcome }) => outcome === 'contender').length,
})

/** What a binomial of that rate passes once in a few thousand times: 3.5 deviations. */
const mostOf = (trials: number, rate: number): number =>
  trials * rate + 3.5 * Math.sqrt(trials * rate * (1 - rate)) + 1
