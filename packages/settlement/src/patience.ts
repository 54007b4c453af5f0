import type { Clock } from './clock.ts'
import type { OpenBucket, Source } from './sources.ts'

/** So long a reader waits for a bucket beyond what its answers may take. */
const MOST_MS = 90_000
/** An answer may take so long, and more by its size: a second for each megabyte. */
const ANSWER_MS = 250
const BYTES_PER_MS = 1000
/** Or so many times as long as buckets of half of the weight take, if that is more. */
const TIMES_USUAL = 2

const LOST = 'it was waited for long enough'

/** How long reads of a bucket were under way, several at once counted once. */
interface BucketTime {
  ms: number
  /** Now under way, since `since`. */
  reads: number
  since: number
  /** What its answers may have taken. */
  allowedMs: number
}

/** By hotkey: for how many milliseconds its bucket was waited for, of those with any. */
export type Waits = ReadonlyMap<string, number>

/**
 * What a reader has left for each hotkey's bucket, in an epoch, or in a whole history. All the time
 * counts in which a read of the bucket is under way. It may take a quarter of a second an answer
 * and a second a megabyte, or twice as long as the buckets of half of the weight, and 90 seconds
 * more. Then the reads under way end, and it is not asked again. Protocol §6.4.
 */
export class Patience {
  readonly clock: Clock
  readonly #onLost: (hotkey: string) => void
  readonly #times = new Map<string, BucketTime>()
  readonly #lost = new Set<string>()
  #weights: readonly (readonly [hotkey: string, weight: number])[] = []

  /** `onLost` is told of each hotkey for which it runs out. */
  constructor(clock: Clock, onLost: (hotkey: string) => void = () => {}) {
    this.clock = clock
    this.#onLost = onLost
  }

  /** Of those whose buckets are read from now on. */
  weigh(weights: Readonly<Record<string, number>>): void {
    this.#weights = Object.entries(weights)
  }

  /** The same buckets; reads of one fail once patience with it has run out. */
  open(open: OpenBucket): OpenBucket {
    return (hotkey, url) => {
      const source = open(hotkey, url)
      return source && this.#bounded(hotkey, source)
    }
  }

  /** The hotkeys for which it has run out. */
  get lost(): ReadonlySet<string> {
    return this.#lost
  }

  get waits(): Waits {
    const waits = [...this.#times].map(([hotkey, time]) => [hotkey, this.#waited(time)] as const)
    return new Map(waits.filter(([, ms]) => ms > 0))
  }

  #bounded(hotkey: string, { name, read }: Source): Source {
    return {
      name,
      read: async (path, limit) => {
        const time = this.#timeOf(hotkey)
        if (this.#isLost(hotkey, time)) throw new Error(LOST)
        if (time.reads === 0) time.since = this.clock.now()
        time.reads += 1
        let size = 0
        try {
          const bytes = await this.#untilLost(hotkey, time, read(path, limit))
          size = bytes?.length ?? 0
          return bytes
        } finally {
          time.allowedMs += ANSWER_MS + size / BYTES_PER_MS
          time.reads -= 1
          if (time.reads === 0) time.ms += this.clock.now() - time.since
        }
      },
    }
  }

  #timeOf(hotkey: string): BucketTime {
    const time = this.#times.get(hotkey) ?? { ms: 0, reads: 0, since: 0, allowedMs: 0 }
    this.#times.set(hotkey, time)
    return time
  }

  /** Settles as `reading` does. Rejects once patience has run out. */
  #untilLost<Read>(hotkey: string, time: BucketTime, reading: Promise<Read>): Promise<Read> {
    return new Promise((resolve, reject) => {
      let stop = (): void => {}
      const look = (): void => {
        if (this.#isLost(hotkey, time)) reject(new Error(LOST))
        else stop = this.clock.after(Math.ceil(MOST_MS - this.#waited(time)), look)
      }
      look()
      reading.then(resolve, reject).finally(() => stop())
    })
  }

  #isLost(hotkey: string, time: BucketTime): boolean {
    if (!this.#lost.has(hotkey) && this.#waited(time) >= MOST_MS) {
      this.#lost.add(hotkey)
      this.#onLost(hotkey)
    }
    return this.#lost.has(hotkey)
  }

  /** How long a bucket was waited for beyond what its answers may take. */
  #waited(time: BucketTime): number {
    const times = Math.max(1, TIMES_USUAL * this.#usual())
    return Math.max(0, this.#tookMs(time) - times * time.allowedMs)
  }

  #tookMs({ ms, reads, since }: BucketTime): number {
    return reads === 0 ? ms : ms + this.clock.now() - since
  }

  /**
   * How many times as long as its answers may take a bucket took, at most, of half of the weight:
   * the weighted median. Those that were not asked took none.
   */
  #usual(): number {
    const all = this.#weights.map(([hotkey, weight]) => {
      const time = this.#times.get(hotkey)
      return { weight, times: time?.allowedMs ? this.#tookMs(time) / time.allowedMs : 0 }
    })
    let left = all.reduce((sum, { weight }) => sum + weight, 0) / 2
    for (const { weight, times } of all.sort((a, b) => a.times - b.times)) {
      left -= weight
      if (left <= 0) return times
    }
    return 0
  }
}
