import { extname } from 'node:path'
import { listModules } from '@affine/envs/modules'
import type { Piscina } from 'piscina'
import { type CheckBlock, checkHere } from '../bucket-reader.ts'

/** Size below which checking a block takes less time than sending it to a thread. */
const SMALL_BYTES = 65_536
const IDLE_MS = 10_000
/** Blocks per thread: the current and the next. */
const BLOCKS_EACH = 2

/** Threads that check blocks, started on demand. Disposing of them rejects all pending checks. */
export interface Threads extends AsyncDisposable {
  readonly check: CheckBlock
  /**
   * Number of lanes to read concurrently: every thread has its blocks, and one more is being read.
   */
  readonly lanesAtOnce: number
}

/**
 * Opens at most `max` threads, 1 or more. The calling thread checks blocks below 64 KiB, and all
 * blocks until it has checked `spared` bytes: for a short history, threads take longer to start
 * than they save.
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
      workerData: [...listModules().keys()],
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
