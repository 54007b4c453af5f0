import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock as ReadersClock } from '../../packages/blocks/src/index.ts'

interface Waiting {
  readonly at: number
  readonly wake: () => void
}

/** Turns of the event loop in which tasks that need no time may run before time passes. */
const TURNS = 20

/**
 * A clock in milliseconds that tests advance. Sleepers wake one at a time, in order of time and
 * then of arrival, so that a seed determines the order of events.
 */
export class Clock implements ReadersClock {
  #now = 0
  /** Ascending by time, equal times in order of arrival. */
  readonly #waiting: Waiting[] = []

  readonly now = (): number => this.#now

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.at(this.#now + ms, resolve))
  }

  at(time: number, wake: () => void): void {
    const at = Math.max(time, this.#now)
    let place = this.#waiting.length
    while (place > 0 && this.#waiting[place - 1]!.at > at) place -= 1
    this.#waiting.splice(place, 0, { at, wake })
  }

  /** Calls `wake` after `ms` milliseconds. Returns a function that cancels the call. */
  readonly after: ReadersClock['after'] = (ms, wake) => {
    // A cancelled `wake` must not stay reachable until its time comes.
    let ring: (() => void) | undefined = wake
    this.at(this.#now + ms, () => ring?.())
    return () => {
      ring = undefined
    }
  }

  /** The time at which the next sleeper wakes. Undefined if there is none. */
  get next(): number | undefined {
    return this.#waiting[0]?.at
  }

  /** Advances time to `until`. Everything that a sleeper does ends before the next one wakes. */
  async run(until: number): Promise<void> {
    for (;;) {
      const [next] = this.#waiting
      if (next === undefined || next.at > until) break
      this.#waiting.shift()
      this.#now = next.at
      next.wake()
      await nextTurn()
    }
    this.#now = until
  }

  /** Advances time until `promise` settles. Resolves with its value and the time that passed. */
  async pass<T>(promise: Promise<T>): Promise<{ readonly value: T; readonly ms: number }> {
    const began = this.#now
    let isOver = false
    const over = promise.finally(() => {
      isOver = true
    })
    over.catch(() => undefined)
    for (;;) {
      for (let turn = 0; turn < TURNS && !isOver; turn++) await nextTurn()
      if (isOver) break
      if (this.next !== undefined) await this.run(this.next)
    }
    return { value: await over, ms: this.#now - began }
  }
}
