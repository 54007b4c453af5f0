import type { Generator } from '../../packages/prng/src/index.ts'
import type { Clock } from './clock.ts'

/**
 * Where an operation happens: in a folder of the disk, the validator's own bucket, another
 * validator's bucket, on the chain, or at a miner.
 */
export const PLACES = [
  'journal',
  'secrets',
  'v1',
  'incoming',
  'bucket',
  'peers',
  'chain',
  'miner',
] as const
export type Place = (typeof PLACES)[number]

/** The operation in which a machine dies. Operations count from 1 in each epoch and place. */
export interface Death {
  readonly epoch: number
  readonly place: Place
  readonly op: number
  /** Progress of the operation: not begun, half done, or done. */
  readonly when: 'before' | 'half' | 'after'
}

/** An operation of `ms` milliseconds, its effect, and its effect if it is interrupted halfway. */
interface Operation<T> {
  readonly place: Place
  readonly ms: number
  readonly act: () => T | Promise<T>
  readonly half?: (() => void) | undefined
}

interface Parts {
  readonly clock: Clock
  readonly random: Generator
  readonly deaths: readonly Death[]
  readonly onDeath: (death: Death) => void
}

const never = <T>(): Promise<T> => new Promise(() => {})

/**
 * A process and its machine. Everything external that the process awaits is an operation.
 * Operations of a dead process never end.
 */
export class Machine {
  readonly #parts: Parts
  #life = 0
  #alive = false
  /** Number of operations begun in this epoch by place. */
  readonly #ops = new Map<Place, number>()
  #epoch = 0
  #ids = 0

  constructor(parts: Parts) {
    this.#parts = parts
  }

  get isAlive(): boolean {
    return this.#alive
  }

  /** Begins a new epoch, in which operations count from 1 again. */
  begin(epoch: number): void {
    this.#epoch = epoch
    this.#ops.clear()
  }

  start(): void {
    this.#life += 1
    this.#alive = true
  }

  kill(): void {
    this.#alive = false
  }

  /** Returns a function that calls `wake` unless the current process has died. */
  ofProcess(wake: () => void): () => void {
    const life = this.#life
    return () => {
      if (this.#isSame(life)) wake()
    }
  }

  /** Returns a number that was never returned before. */
  nextId(): number {
    this.#ids += 1
    return this.#ids
  }

  /** Returns a random time from 0 to `max` - 1 milliseconds. */
  jitter(max: number): number {
    return this.#parts.random.integers(0, max)
  }

  async perform<T>({ place, ms, act, half }: Operation<T>): Promise<T> {
    if (!this.#alive) return never()
    const life = this.#life
    const death = this.#deathAt(place)
    await this.#parts.clock.sleep(ms)
    if (!this.#isSame(life)) return never()
    if (death?.when === 'before') return this.#die(death)
    if (death?.when === 'half' && half !== undefined) {
      half()
      return this.#die(death)
    }
    const [outcome] = await Promise.allSettled([(async () => act())()])
    if (!this.#isSame(life)) return never()
    if (death !== undefined) return this.#die(death)
    if (outcome.status === 'rejected') throw outcome.reason
    return outcome.value
  }

  #isSame(life: number): boolean {
    return this.#alive && this.#life === life
  }

  #deathAt(place: Place): Death | undefined {
    const op = 1 + (this.#ops.get(place) ?? 0)
    this.#ops.set(place, op)
    const isHere = (death: Death): boolean => death.place === place && death.op === op
    return this.#parts.deaths.find((death) => death.epoch === this.#epoch && isHere(death))
  }

  #die<T>(death: Death): Promise<T> {
    this.kill()
    this.#parts.onDeath(death)
    return never()
  }
}
