interface Waiting {
  readonly at: number
  readonly order: number
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
  #order = 0
  /** A heap with the earliest at the front. */
  readonly #heap: Waiting[] = []

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.at(this.now + ms, resolve))
  }

  at(time: number, wake: () => void): void {
    this.#push({ at: Math.max(time, this.now), order: this.#order++, wake })
  }

  /** When the next of what waits wakes; undefined if nothing waits. */
  get next(): number | undefined {
    return this.#heap[0]?.at
  }

  /** Lets time pass up to `until`. */
  async run(until: number): Promise<void> {
    for (let next = this.#heap[0]; next !== undefined && next.at <= until; next = this.#heap[0]) {
      this.#pop()
      this.now = next.at
      next.wake()
      await settled()
    }
    this.now = until
  }

  #push(waiting: Waiting): void {
    const heap = this.#heap
    let i = heap.push(waiting) - 1
    while (i > 0) {
      const parent = (i - 1) >> 1
      if (isBefore(heap[parent]!, waiting)) break
      heap[i] = heap[parent]!
      i = parent
    }
    heap[i] = waiting
  }

  #pop(): void {
    const heap = this.#heap
    const last = heap.pop()!
    if (heap.length === 0) return
    let i = 0
    for (;;) {
      let child = 2 * i + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child += 1
      if (isBefore(last, heap[child]!)) break
      heap[i] = heap[child]!
      i = child
    }
    heap[i] = last
  }
}

const isBefore = (a: Waiting, b: Waiting): boolean =>
  a.at < b.at || (a.at === b.at && a.order < b.order)
