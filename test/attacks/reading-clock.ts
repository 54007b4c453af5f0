import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from '../../packages/blocks/src/index.ts'
import { Clock as Time } from '../simulate/clock.ts'

/** So often whatever needs no time may go on, before time passes. */
const TURNS = 20

/** A reader's clock, on which no time passes but in `pass`. */
export class ReadingClock implements Clock {
  readonly #time = new Time()

  readonly now = (): number => this.#time.now

  readonly after: Clock['after'] = (ms, wake) => this.#time.after(ms, wake)

  sleep(ms: number): Promise<void> {
    return this.#time.sleep(ms)
  }

  /** Lets time pass until `promise` is settled: what it comes to, and how long it took. */
  async pass<T>(promise: Promise<T>): Promise<{ readonly value: T; readonly ms: number }> {
    const began = this.#time.now
    let isOver = false
    const over = promise.finally(() => {
      isOver = true
    })
    over.catch(() => undefined)
    for (;;) {
      for (let turn = 0; turn < TURNS && !isOver; turn++) await nextTurn()
      if (isOver) break
      const { next } = this.#time
      if (next !== undefined) await this.#time.run(next)
    }
    return { value: await over, ms: this.#time.now - began }
  }
}
