import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock as ReadersClock } from '../../packages/blocks/src/index.ts'

interface Waiting {
  readonly at: number
  readonly wake: () => void
}

/** Number of turns of the event loop before time passes, for tasks that need no time. */
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

  /** Calls `wake` at a time. Returns a function that cancels the call. */
  at(time: number, wake: () => void): () => void {
    const waiting = { at: Math.max(time, this.#now), wake }
    let place = this.#waiting.length
    while (place > 0 && this.#waiting[place - 1]!.at > waiting.at) place -= 1
    this.#waiting.splice(place, 0, waiting)
    return () => {
      const index = this.#waiting.indexOf(waiting)
      if (index >= 0) this.#waiting.splice(index, 1)
    }
  }

  /** Calls `wake` after `ms` milliseconds. Returns a function that cancels the call. */
  readonly after: ReadersClock['after'] = (ms, wake) => this.at(this.#now + ms, wake)

  /** The time at which the next sleeper wakes. Undefined if there is none. */
  get next(): number | undefined {
    return this.#waiting[0]?.at
  }

  /** Advances time in one step, and wakes the sleepers whose time has come. */
  skip(ms: number): void {
    this.#now += ms
    while (this.#waiting[0] !== undefined && this.#waiting[0].at <= this.#now)
      this.#waiting.shift()?.wake()
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
