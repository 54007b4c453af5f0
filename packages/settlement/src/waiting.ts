import { BucketFailure, type Clock } from '@affine/blocks'
import pLimit, { type LimitFunction } from 'p-limit'

export const SYSTEM_CLOCK: Clock = {
  now: () => performance.now(),
  after: (ms, wake) => {
    const timer = setTimeout(wake, ms)
    return () => clearTimeout(timer)
  },
}

/** Milliseconds by which a bucket may exceed its allowance before it is dropped. */
const MAX_EXCESS_MS = 90_000
/** Allowance for one answer in milliseconds, without its bytes. */
const ANSWER_MS = 250
const BYTES_PER_MS = 1000
/** Factor of the median slowness in the allowance. */
const MEDIAN_FACTOR = 2

const LOST = 'the bucket was too slow and is no longer read'
const ENDED = 'the deadline for reading has passed'

const createDropped = (reason: string): BucketFailure =>
  new BucketFailure('read the bucket', { code: 'dropped', reason })

/** The time of reads from a bucket. Concurrent reads count once. */
interface BucketTime {
  readonly hotkey: string
  readonly limit: LimitFunction
  ms: number
  /** Number of reads in progress. */
  reads: number
  /** Time in milliseconds since which at least one read is in progress, if `reads` > 0. */
  since: number
  /** Total of the answers' allowances, before the factor of the median slowness. */
  allowedMs: number
}

export interface WaitingOptions {
  /** Default: the system clock. */
  readonly clock?: Clock | undefined
  /** Maximum concurrent reads of one bucket. Default: no limit. */
  readonly readsAtOnce?: number
  /** Called with each hotkey whose bucket is no longer read. */
  readonly onLost?: (hotkey: string) => void
}

/**
 * Measures how long reads of each hotkey's bucket are in progress. The allowance is a quarter of a
 * second per answer and a second per megabyte, multiplied by twice the weighted median slowness of
 * the voters' buckets if that product is more than 1. A bucket that exceeds its allowance by 90
 * seconds is dropped: its reads end, and it is not queried again. Protocol §6.4.
 */
export class BucketTimes {
  readonly #clock: Clock
  readonly #options: WaitingOptions
  readonly #times = new Map<string, BucketTime>()
  /** Hotkeys whose buckets are no longer read. */
  readonly lost: Set<string> = new Set()
  /** Weights by hotkey of the buckets that are read from now on. */
  weights: Readonly<Record<string, number>> = {}

  constructor(options: WaitingOptions) {
    this.#clock = options.clock ?? SYSTEM_CLOCK
    this.#options = options
  }

  /**
   * Reads a hotkey's bucket by `read`. Rejects with the code `dropped` once the bucket is too slow,
   * and at the deadline.
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

  /**
   * Settles as `reading` does, or rejects once the bucket is too slow or at the deadline.
   * `Promise.race` would keep every result reachable until the deadline.
   */
  #inTime<Read>(time: BucketTime, reading: Promise<Read>, deadline?: AbortSignal): Promise<Read> {
    return new Promise((resolve, reject) => {
      let stop = (): void => {}
      const check = (): void => {
        if (this.#isLost(time)) reject(createDropped(LOST))
        else stop = this.#clock.after(Math.ceil(MAX_EXCESS_MS - this.#excessMs(time)), check)
      }
      check()
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
    if (!this.lost.has(hotkey) && this.#excessMs(time) >= MAX_EXCESS_MS) {
      this.lost.add(hotkey)
      this.#options.onLost?.(hotkey)
    }
    return this.lost.has(hotkey)
  }

  #excessMs(time: BucketTime): number {
    const times = Math.max(1, MEDIAN_FACTOR * this.#medianSlowness())
    return Math.max(0, this.#tookMs(time) - times * time.allowedMs)
  }

  #tookMs({ ms, reads, since }: BucketTime): number {
    return reads === 0 ? ms : ms + this.#clock.now() - since
  }

  /**
   * Returns the weighted median of the buckets' slowness: the time taken divided by the allowance,
   * 0 for a bucket that was not queried.
   */
  #medianSlowness(): number {
    const all = Object.entries(this.weights).map(([hotkey, weight]) => {
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

/** Milliseconds without an answer after which the next item is queried too. */
const LATE_MS = 2000
/** Maximum late answers that this process waits for concurrently: each may have 8 MiB. */
const MAX_LATE = 32
let late = 0

interface TurnOptions<Item, Value> {
  /** Resolves with the item's value, or null if it has none. */
  readonly ask: (item: Item) => Promise<Value | null>
  /** Called with each late item, before the next one is queried. */
  readonly onLate?: (item: Item) => void
  readonly clock?: Clock | undefined
}

/**
 * Resolves with the first value, or null if no item has a value. Queries the items in order: the
 * next one when an item has no value, or has not answered for two seconds. If this process already
 * waits for 32 late answers, it queries the next item only when the late one has answered. Rejects
 * with the first error. Protocol §6.4.
 */
export function askInTurn<Item, Value>(
  items: readonly Item[],
  { ask, onLate, clock = SYSTEM_CLOCK }: TurnOptions<Item, Value>,
): Promise<Value | null> {
  const waiting = [...items]
  let unanswered = waiting.length
  if (unanswered === 0) return Promise.resolve(null)
  return new Promise((resolve, reject) => {
    const end = (settle: () => void): void => {
      waiting.length = 0
      settle()
    }
    const askNext = (): void => {
      const item = waiting.shift()
      if (item === undefined) return
      let isBeside = false
      const cancel = clock.after(LATE_MS, () => {
        onLate?.(item)
        if (late === MAX_LATE) return
        isBeside = true
        late += 1
        askNext()
      })
      const stop = (): void => {
        cancel()
        if (isBeside) late -= 1
      }
      const hear = (value: Value | null): void => {
        unanswered -= 1
        if (value !== null || unanswered === 0) end(() => resolve(value))
        else if (!isBeside) askNext()
      }
      ask(item)
        .finally(stop)
        .then(hear, (error) => end(() => reject(error)))
    }
    askNext()
  })
}
