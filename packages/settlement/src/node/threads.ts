import { extname } from 'node:path'
import type { Piscina } from 'piscina'
import { type CheckBlock, checkHere } from '../bucket-reader.ts'

/** A smaller block takes less time to check than to send. */
const SMALL_BYTES = 65_536
const IDLE_MS = 10_000
/** The block that a thread checks, and the next one. */
const BLOCKS_EACH = 2

/**
 * Threads that check blocks. None is started before there is work for one. Disposing of them
 * rejects all checks that have not ended.
 */
export interface Threads extends AsyncDisposable {
  readonly check: CheckBlock
  /**
   * How many lanes to read at once, so that every thread has its blocks and one more block is being
   * read.
   */
  readonly lanesAtOnce: number
}

/**
 * Opens at most `most` threads, from 1. The first `spared` bytes are checked in this thread: a
 * short history is checked before new threads are as fast as this one.
 */
export function openThreads(max: number, spared = 0): Threads {
  let pool: Promise<Piscina> | undefined
  let left = spared
  const start = async (): Promise<Piscina> => {
    const { Piscina } = await import('piscina')
    const script = `./check-block${extname(import.meta.url)}` // built, or from the sources
    const filename = new URL(script, import.meta.url).href
    return new Piscina({
      filename,
      minThreads: 0,
      maxThreads: max,
      concurrentTasksPerWorker: BLOCKS_EACH,
      idleTimeout: IDLE_MS,
      atomics: 'disabled', // else a waiting thread is blocked, and its WebAssembly cannot start
    })
  }
  return {
    check: async (bytes, wanted) => {
      if (left > 0 || bytes.length < SMALL_BYTES) {
        left -= bytes.length
        return checkHere(bytes, wanted)
      }
      pool ??= start()
      const transferList = [bytes.buffer as ArrayBuffer]
      return JSON.parse(await (await pool).run({ bytes, wanted }, { transferList }))
    },
    lanesAtOnce: BLOCKS_EACH * max + 1,
    [Symbol.asyncDispose]: async () => (await pool)?.destroy(),
  }
}
