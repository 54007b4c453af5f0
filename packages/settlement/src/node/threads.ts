import { extname } from 'node:path'
import { Piscina } from 'piscina'
import { type CheckBlock, checkHere } from '../sources.ts'

/** A smaller block is checked sooner than it is sent. */
const SMALL_BYTES = 65_536
const IDLE_MS = 10_000

/** Threads that check blocks. None is started before there is work for one. */
export interface Threads {
  readonly check: CheckBlock
  /** Ends them; what they were asked for is rejected. */
  close(): Promise<void>
}

/** At most so many threads, from 1. */
export function openThreads(most: number): Threads {
  let pool: Piscina | undefined
  const start = (): Piscina => {
    const script = `./check-block${extname(import.meta.url)}` // built, or from the sources
    const filename = new URL(script, import.meta.url).href
    return new Piscina({ filename, minThreads: 0, maxThreads: most, idleTimeout: IDLE_MS })
  }
  return {
    check: (bytes, wanted) => {
      if (bytes.length < SMALL_BYTES) return checkHere(bytes, wanted)
      pool ??= start()
      return pool.run({ bytes, wanted })
    },
    close: async () => pool?.destroy(),
  }
}
