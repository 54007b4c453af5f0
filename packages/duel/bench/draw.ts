import type { Generator } from '@affine/prng'

const tables = new Map<string, readonly number[]>()

/** Draws the number of successes in n trials, each with probability p, by inversion. */
export function binomial(n: number, p: number, random: Generator): number {
  const key = `${n} ${p}`
  const table = tables.get(key) ?? distributionOf(n, p)
  tables.set(key, table)
  const x = random.random()
  return last(n, (k) => k === 0 || (table[k - 1] ?? 1) <= x)
}

/** Returns P(at most k successes in n trials) for k = 0…n. */
function distributionOf(n: number, p: number): readonly number[] {
  if (p === 0) return Array.from({ length: n + 1 }, () => 1)
  if (p === 1) return Array.from({ length: n + 1 }, (_, k) => (k === n ? 1 : 0))
  let [logMass, sum] = [n * Math.log1p(-p), 0]
  return Array.from({ length: n + 1 }, (_, k) => {
    sum += Math.exp(logMass)
    logMass += Math.log((n - k) / (k + 1)) + Math.log(p / (1 - p))
    return sum
  })
}

/**
 * Returns the largest integer in 0..most that passes, by bisection, or 0 if none does. All integers
 * below it must pass too.
 */
export function last(most: number, passes: (x: number) => boolean): number {
  let [yes, no] = [0, most + 1]
  while (no - yes > 1) {
    const x = (yes + no) >> 1
    if (passes(x)) yes = x
    else no = x
  }
  return yes
}
