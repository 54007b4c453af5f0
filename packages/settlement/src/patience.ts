import type { Clock } from './clock.ts'
import type { OpenBucket, Source } from './sources.ts'

/** So long a reader waits for a bucket at most, and for this share of all time besides. */
const MOST_MS = 90_000
const SHARE = 1 / 48
/** An answer may take a second, and more by its size: 64 kB/s is not slow. */
const QUICK_MS = 1000
const BYTES_PER_MS = 64
/** So much patience must be left for a bucket to be asked. */
const LEAST_MS = 1000
/** An epoch of a history in which a bucket was silent and waited for counts as so much. */
const SILENT_MS = 30_000

/** How long a bucket was waited for. */
interface BucketWait {
  /** In all. */
  total: number
  /** What is not forgotten yet, as of `at`. */
  ms: number
  at: number
  /** `ms` as it was at the end of the last epoch. */
  before: number
}

/** By hotkey: for how many milliseconds its bucket was waited for, of those with any. */
export type Waits = ReadonlyMap<string, number>

/**
 * What a reader has left for each hotkey's bucket. It waits for one at most 90 seconds and 1/48 of
 * the time that passes, beyond what it waits for the buckets of more than half of the weight: if
 * these are slow, the line is the reader's own. To wait is to have less than 64 kB/s, from a second
 * on. Protocol §6.4.
 */
export class Patience {
  readonly clock: Clock
  readonly #onLost: (hotkey: string) => void
  readonly #share: number
  readonly #waits = new Map<string, BucketWait>()
  #weights: readonly (readonly [hotkey: string, weight: number])[] = []

  /** `onLost` is told whenever there is none left for a hotkey. */
  constructor(clock: Clock, onLost: (hotkey: string) => void = () => {}, share: number = SHARE) {
    this.clock = clock
    this.#onLost = onLost
    this.#share = share
  }

  /** That of a reader of a history: 90 seconds for all of it, however fast it is read. */
  static ofHistory(clock: Clock): Patience {
    return new Patience(clock, () => {}, 0)
  }

  /** Of those whose buckets are read from now on. */
  weigh(weights: Readonly<Record<string, number>>): void {
    this.#weights = Object.entries(weights)
  }

  /** The same buckets; reads of one that there is no patience left for fail at once. */
  open(open: OpenBucket): OpenBucket {
    return (hotkey, url) => {
      const source = open(hotkey, url)
      return source && this.#bounded(hotkey, source)
    }
  }

  /**
   * Ends an epoch of a history in which these buckets were silent. Returns those that there is no
   * patience left for. How many reads are under way at a time decides when it runs out, but not
   * whether it does by the end of an epoch: all that slow answers took is charged by then, and how
   * often a silent bucket was asked does not count.
   */
  endEpoch(silent: ReadonlySet<string>): ReadonlySet<string> {
    const at = this.clock.now()
    for (const [hotkey, { total, before }] of this.#waits) {
      const waited = this.#waited(hotkey)
      const ms = silent.has(hotkey) && waited > before ? before + SILENT_MS : waited
      this.#waits.set(hotkey, { total, ms, at, before: ms })
    }
    return new Set([...this.#waits.keys()].filter((hotkey) => this.#isLost(hotkey)))
  }

  get waits(): Waits {
    const waits = [...this.#waits].map(([hotkey, { total }]) => [hotkey, total] as const)
    return new Map(waits)
  }

  #bounded(hotkey: string, { name, read }: Source): Source {
    return {
      name,
      read: async (path, limit) => {
        if (this.#isLost(hotkey)) throw new Error('it was waited for long enough')
        const began = this.clock.now()
        let size = 0
        try {
          const bytes = await read(path, limit)
          size = bytes?.length ?? 0
          return bytes
        } finally {
          const ms = this.clock.now() - began - QUICK_MS - size / BYTES_PER_MS
          if (ms > 0) this.#charge(hotkey, ms)
        }
      },
    }
  }

  #charge(hotkey: string, ms: number): void {
    const wasLost = this.#isLost(hotkey)
    const { total, before } = this.#waits.get(hotkey) ?? { total: 0, before: 0 }
    const waited = this.#waited(hotkey) + ms
    this.#waits.set(hotkey, { total: total + ms, ms: waited, at: this.clock.now(), before })
    if (!wasLost && this.#isLost(hotkey)) this.#onLost(hotkey)
  }

  #isLost(hotkey: string): boolean {
    return this.#waited(hotkey) - this.#usual() > MOST_MS - LEAST_MS
  }

  #waited(hotkey: string): number {
    const waiting = this.#waits.get(hotkey)
    if (waiting === undefined) return 0
    return Math.max(0, waiting.ms - this.#share * (this.clock.now() - waiting.at))
  }

  /** The least that buckets of half of the weight were waited for at most: the weighted median. */
  #usual(): number {
    const all = this.#weights.map(([hotkey, weight]) => ({ weight, ms: this.#waited(hotkey) }))
    let left = all.reduce((sum, { weight }) => sum + weight, 0) / 2
    for (const { weight, ms } of all.sort((a, b) => a.ms - b.ms)) {
      left -= weight
      if (left <= 0) return ms
    }
    return 0
  }
}
