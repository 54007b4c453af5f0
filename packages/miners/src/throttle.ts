import PQueue from 'p-queue'
import type { Received } from './query.ts'

const CALM_MS = 1000

/**
 * A bound on how many calls are under way: `most`, half as many after a 429, one more after every
 * round of successes.
 */
export class Throttle {
  readonly #most: number
  readonly #now: () => number
  readonly #queue: PQueue
  /** How many there may be, with a fraction. */
  #room: number
  #calmAt = 0

  /** By a clock in milliseconds. */
  constructor(most: number, now: () => number) {
    this.#most = most
    this.#now = now
    this.#room = most
    this.#queue = new PQueue({ concurrency: most })
  }

  /** Makes a call once there is room for it, and none of a higher priority waits. */
  async run(call: () => Promise<Received>, priority: number): Promise<Received> {
    const received = await this.#queue.add(call, { priority })
    if (received.status === 429) this.#shrink()
    if (received.status === 200) this.#grow()
    return received
  }

  /** Once a second at most: calls that were under way together tell of one overload. */
  #shrink(): void {
    const now = this.#now()
    if (now <= this.#calmAt) return
    this.#calmAt = now + CALM_MS
    const underWay = Math.min(this.#room, this.#queue.pending + 1)
    this.#setRoom(Math.max(1, underWay / 2))
  }

  #grow(): void {
    this.#setRoom(Math.min(this.#most, this.#room + 1 / this.#room))
  }

  #setRoom(room: number): void {
    this.#room = room
    this.#queue.concurrency = Math.floor(room)
  }
}
