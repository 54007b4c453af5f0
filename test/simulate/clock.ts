interface Waiting {
  readonly at: number
  readonly wake: () => void
}

/** Resolves once everything waits for the clock. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/**
 * The time of a world, in milliseconds. Everything that takes time waits here, and is woken one
 * after the other, so that the seed decides what happens next.
 */
export class Clock {
  now = 0
  /** The earliest first, and of equals what came first. */
  readonly #waiting: Waiting[] = []

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.at(this.now + ms, resolve))
  }

  at(time: number, wake: () => void): void {
    const at = Math.max(time, this.now)
    let place = this.#waiting.length
    while (place > 0 && this.#waiting[place - 1]!.at > at) place -= 1
    this.#waiting.splice(place, 0, { at, wake })
  }

  /** Wakes after so long, unless it is called off. */
  after(ms: number, wake: () => void): () => void {
    // What was called off is not held until its time comes.
    let ring: (() => void) | undefined = wake
    this.at(this.now + ms, () => ring?.())
    return () => {
      ring = undefined
    }
  }

  /** When the next of what waits wakes; undefined if nothing waits. */
  get next(): number | undefined {
    return this.#waiting[0]?.at
  }

  /** Lets time pass up to `until`. */
  async run(until: number): Promise<void> {
    for (;;) {
      const [next] = this.#waiting
      if (next === undefined || next.at > until) break
      this.#waiting.shift()
      this.now = next.at
      next.wake()
      await settled()
    }
    this.now = until
  }
}
