/** One honest lane, judged by itself: how many challenges each epoch has, and what wins. */
export interface Lane {
  readonly quotas: readonly number[]
  /** The contender's share of decisive challenges. */
  readonly p: number
  /** Do w of n wins in all win? */
  readonly wins: (w: number, n: number) => boolean
}

/** By the challenges that counted, then by wins: how likely a win still is. */
type Level = ReadonlyMap<number, Float64Array>

/**
 * The best that liars can do who see what an epoch came to before they freeze it, or let it count:
 * by dynamic programming over all that they can have seen. With `most` frozen epochs it is over.
 */
export class FreezingPlan {
  readonly #lane: Lane
  readonly #levels: Level[] = []

  constructor(lane: Lane, most: number) {
    this.#lane = lane
    const reachable = reachableIn(lane.quotas, most)
    for (let over = lane.quotas.length; over >= 0; over--)
      this.#levels[over] = this.#levelAt(over, reachable[over] ?? [])
  }

  /** How likely they bring about a win. */
  get win(): number {
    return this.valueAt(0, 0, 0)
  }

  /** How likely a win is after so many epochs, with w of n wins in those that counted. */
  valueAt(over: number, n: number, w: number): number {
    return this.#levels[over]?.get(n)?.[w] ?? 0
  }

  /** As `valueAt`, once an epoch has counted. */
  countedAt(over: number, n: number, w: number): number {
    return this.#lane.wins(w, n) ? 1 : this.valueAt(over, n, w)
  }

  #levelAt(over: number, counts: readonly number[]): Level {
    const quota = this.#lane.quotas[over]
    const chances = quota === undefined ? [] : binomial(quota, this.#lane.p)
    const level = counts.map((n) => {
      const values = new Float64Array(n + 1)
      for (let w = 0; w <= n; w++) {
        const frozen = this.valueAt(over + 1, n, w)
        for (const [k, chance] of chances)
          values[w]! += chance * Math.max(frozen, this.countedAt(over + 1, n + quota!, w + k))
      }
      return [n, values] as const
    })
    return new Map(level)
  }
}

/** By epochs that are over: how many challenges can have counted with fewer than `most` frozen. */
function reachableIn(quotas: readonly number[], most: number): readonly (readonly number[])[] {
  let level = new Map([[0, 0]])
  const levels = [[0]]
  for (const quota of quotas) {
    const next = new Map<number, number>()
    for (const [n, frozen] of level) {
      next.set(n + quota, frozen)
      if (frozen + 1 < most) next.set(n, frozen + 1)
    }
    level = next
    levels.push([...level.keys()])
  }
  return levels
}

/** The numbers of wins in n challenges that are not too rare to matter, with their chances. */
function binomial(n: number, p: number): readonly (readonly [k: number, chance: number])[] {
  let chance = (1 - p) ** n
  const chances: [number, number][] = []
  for (let k = 0; k <= n; k++) {
    if (chance > 1e-6) chances.push([k, chance])
    chance *= ((n - k) / (k + 1)) * (p / (1 - p))
  }
  return chances
}
