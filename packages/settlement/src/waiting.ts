import { BucketFailure, type Clock } from '@affine/blocks'
import pLimit, { type LimitFunction } from 'p-limit'

/** The time of the machine. */
export const SYSTEM_CLOCK: Clock = {
  now: () => performance.now(),
  after: (ms, wake) => {
    const timer = setTimeout(wake, ms)
    return () => clearTimeout(timer)
  },
}

/** So long a reader waits for a bucket beyond what its answers may take. */
const MAX_EXCESS_MS = 90_000
/** An answer may take so long, and more by its size: a second for each megabyte. */
const ANSWER_MS = 250
const BYTES_PER_MS = 1000
/** Or so many times as long as buckets of half of the weight take, if that is more. */
const MEDIAN_FACTOR = 2

const LOST = 'the bucket was too slow and is no longer read'
const ENDED = 'the deadline for reading has passed'

const createDropped = (reason: string): BucketFailure =>
  new BucketFailure('read the bucket', { code: 'dropped', reason })

/** How long reads of a bucket were under way, several at once counted once. */
interface BucketTime {
  readonly hotkey: string
  readonly limit: LimitFunction
  ms: number
  /** Now under way, since `since`. */
  reads: number
  since: number
  /** What its answers may have taken. */
  allowedMs: number
}

/** By hotkey: for how many milliseconds its bucket was waited for, of those with any. */
export type Waits = ReadonlyMap<string, number>

export interface WaitingOptions {
  /** The machine's if left out. */
  readonly clock?: Clock | undefined
  /** How many reads of one bucket are under way at once; any number if left out. */
  readonly readsAtOnce?: number
  /** Is told of each hotkey whose bucket is not waited for any longer. */
  readonly onLost?: (hotkey: string) => void
}

/**
 * How long each hotkey's bucket was waited for. All the time counts in which a read of the bucket
 * is under way. It may take a quarter of a second an answer and a second a megabyte, or twice as
 * long as the buckets of half of the weight, and 90 seconds more. Then the reads under way end, and
 * it is not asked again. Protocol §6.4.
 */
export class BucketTimes {
  readonly #clock: Clock
  readonly #options: WaitingOptions
  readonly #times = new Map<string, BucketTime>()
  readonly #lost = new Set<string>()
  #weights: readonly (readonly [hotkey: string, weight: number])[] = []

  constructor(options: WaitingOptions) {
    this.#clock = options.clock ?? SYSTEM_CLOCK
    this.#options = options
  }

  /** Of those whose buckets are read from now on. */
  setWeights(weights: Readonly<Record<string, number>>): void {
    this.#weights = Object.entries(weights)
  }

  /** The hotkeys whose buckets are not waited for any longer. */
  get lost(): ReadonlySet<string> {
    return this.#lost
  }

  get waits(): Waits {
    const waits = [...this.#times].map(([hotkey, time]) => [hotkey, this.#excessMs(time)] as const)
    return new Map(waits.filter(([, ms]) => ms > 0))
  }

  /**
   * Reads a hotkey's bucket by `read`. Rejects with the code `dropped` once the bucket was too
   * slow, and at the deadline.
   */
  readWithin(
    hotkey: string,
    read: () => Promise<Uint8Array | null>,
    deadline?: AbortSignal,
  ): Promise<Uint8Array | null> {
    const time = this.#findTime(hotkey)
    return time.limit(async () => {
      if (this.#isLost(time)) throw createDropped(LOST)
      if (deadline?.aborted) throw createDropped(ENDED)
      if (time.reads === 0) time.since = this.#clock.now()
      time.reads += 1
      let size = 0
      try {
        const bytes = await this.#inTime(time, read(), deadline)
        size = bytes?.length ?? 0
        return bytes
      } finally {
        time.allowedMs += ANSWER_MS + size / BYTES_PER_MS
        time.reads -= 1
        if (time.reads === 0) time.ms += this.#clock.now() - time.since
      }
    })
  }

  #findTime(hotkey: string): BucketTime {
    const known = this.#times.get(hotkey)
    if (known !== undefined) return known
    const limit = pLimit(this.#options.readsAtOnce ?? Number.POSITIVE_INFINITY)
    const time = { hotkey, limit, ms: 0, reads: 0, since: 0, allowedMs: 0 }
    this.#times.set(hotkey, time)
    return time
  }

  /** Not by Promise.race, by which the deadline would hold all that was read until it comes. */
  #inTime<Read>(time: BucketTime, reading: Promise<Read>, deadline?: AbortSignal): Promise<Read> {
    return new Promise((resolve, reject) => {
      let stop = (): void => {}
      const look = (): void => {
        if (this.#isLost(time)) reject(createDropped(LOST))
        else stop = this.#clock.after(Math.ceil(MAX_EXCESS_MS - this.#excessMs(time)), look)
      }
      look()
      const end = (): void => reject(createDropped(ENDED))
      deadline?.addEventListener('abort', end)
      const done = (): void => {
        stop()
        deadline?.removeEventListener('abort', end)
      }
      reading.then(resolve, reject).finally(done)
    })
  }

  #isLost(time: BucketTime): boolean {
    const { hotkey } = time
    if (!this.#lost.has(hotkey) && this.#excessMs(time) >= MAX_EXCESS_MS) {
      this.#lost.add(hotkey)
      this.#options.onLost?.(hotkey)
    }
    return this.#lost.has(hotkey)
  }

  /** How long a bucket was waited for beyond what its answers may take. */
  #excessMs(time: BucketTime): number {
    const times = Math.max(1, MEDIAN_FACTOR * this.#medianSlowness())
    return Math.max(0, this.#tookMs(time) - times * time.allowedMs)
  }

  #tookMs({ ms, reads, since }: BucketTime): number {
    return reads === 0 ? ms : ms + this.#clock.now() - since
  }

  /**
   * How many times as long as its answers may take a bucket took, at most, of half of the weight:
   * the weighted median. Those that were not asked took none.
   */
  #medianSlowness(): number {
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
