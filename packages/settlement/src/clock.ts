/** How a reader of buckets measures time, and waits. */
export interface Clock {
  /** In milliseconds, from any point on. */
  readonly now: () => number
  /** Calls `wake` after so many milliseconds, unless what it returned is called before. */
  readonly after: (ms: number, wake: () => void) => () => void
}

/** The time of the machine. */
export const SYSTEM_CLOCK: Clock = {
  now: () => performance.now(),
  after: (ms, wake) => {
    const timer = setTimeout(wake, ms)
    return () => clearTimeout(timer)
  },
}
