import type { Clock } from '@affine/blocks'

/** A clock that a test advances. */
export class FakeTime {
  #now = 0
  readonly #waiting = new Set<{ readonly at: number; readonly wake: () => void }>()
  readonly now: () => number = () => this.#now
  readonly after: Clock['after'] = (ms, wake) => {
    const waiting = { at: this.#now + ms, wake }
    this.#waiting.add(waiting)
    return () => void this.#waiting.delete(waiting)
  }
  /** Whether a timer is pending. */
  get isAwaited(): boolean {
    return this.#waiting.size > 0
  }
  pass(ms: number): void {
    this.#now += ms
    for (const each of [...this.#waiting].filter(({ at }) => at <= this.#now)) {
      this.#waiting.delete(each)
      each.wake()
    }
  }
}
