import { extname } from 'node:path'
import type { Piscina } from 'piscina'
import { type CheckBlock, checkHere } from '../sources.ts'

/** A smaller block is checked sooner than it is sent. */
const SMALL_BYTES = 65_536
const IDLE_MS = 10_000
/** The one that it checks, and the one that it finds there when it is done. */
const BLOCKS_EACH = 2

/**
 * Threads that check blocks. None is started before there is work for one. Disposing of them
 * rejects what they were asked for.
 */
export interface Threads extends AsyncDisposable {
  readonly check: CheckBlock
  /** So many that every thread has its blocks, and one more is being read. */
  readonly lanesAtOnce: number
}

/**
 * At most so many threads, from 1. So many bytes are checked here before one is started: those of a
 * short history are sooner checked than threads are as fast as this one.
 */
export function openThreads(most: number, spared = 0): Threads {
  let pool: Promise<Piscina> | undefined
  let left = spared
  const start = async (): Promise<Piscina> => {
    const { Piscina } = await import('piscina')
    const script = `./check-block${extname(import.meta.url)}` // built, or from the sources
    const filename = new URL(script, import.meta.url).href
    return new Piscina({
      filename,
      minThreads: 0,
      maxThreads: most,
      concurrentTasksPerWorker: BLOCKS_EACH,
      idleTimeout: IDLE_MS,
      atomics: 'disabled', // else threads stand still between blocks, and no WebAssembly starts
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
    lanesAtOnce: BLOCKS_EACH * most + 1,
    [Symbol.asyncDispose]: async () => (await pool)?.destroy(),
  }
}
