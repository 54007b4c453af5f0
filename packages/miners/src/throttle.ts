import pLimit, { type LimitFunction } from 'p-limit'
import type { Received } from './query.ts'

const CALM_MS = 1000

/**
 * A bound on how many calls are under way: `most`, half as many after a 429, one more after every
 * round of successes.
 */
export class Throttle {
  readonly #most: number
  readonly #now: () => number
  readonly #limit: LimitFunction
  /** How many there may be, with a fraction. */
  #room: number
  #calmAt = 0

  /** By a clock in milliseconds. */
  constructor(most: number, now: () => number) {
    this.#most = most
    this.#now = now
    this.#room = most
    this.#limit = pLimit(most)
  }

  /** Makes a call once there is room for it. */
  async run(call: () => Promise<Received>): Promise<Received> {
    return this.#heed(await this.#limit(call))
  }

  /** Makes a call at once, whatever is under way. */
  async runNow(call: () => Promise<Received>): Promise<Received> {
    return this.#heed(await call())
  }

  #heed(received: Received): Received {
    if (received.status === 429) this.#shrink()
    if (received.status === 200) this.#grow()
    return received
  }

  /** Once a second at most: calls that were under way together tell of one overload. */
  #shrink(): void {
    const now = this.#now()
    if (now <= this.#calmAt) return
    this.#calmAt = now + CALM_MS
    const underWay = Math.min(this.#room, this.#limit.activeCount + 1)
    this.#setRoom(Math.max(1, underWay / 2))
  }

  #grow(): void {
    this.#setRoom(Math.min(this.#most, this.#room + 1 / this.#room))
  }

  #setRoom(room: number): void {
    this.#room = room
    this.#limit.concurrency = Math.floor(room)
  }
}
