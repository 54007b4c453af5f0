import type { BlockRequest } from '@affine/blocks'
import { verifyReady } from '@affine/chain/account'
import { loadModule } from '@affine/envs/modules'
import { blake3Ready } from '@affine/prng'
import { Piscina } from 'piscina'
import { checkHere } from '../bucket-reader.ts'

/** Modules of environments that the main thread loaded. */
const modules: readonly string[] = Piscina.workerData

/**
 * The WebAssembly of hashes and signatures starts before the first block is checked: later blocks
 * arrive without a pause in which it could start.
 */
const ready = Promise.all([blake3Ready(), verifyReady(), ...modules.map(loadModule)])

/**
 * Checks a block in a thread of `openThreads`. Resolves with JSON, which transfers faster than
 * objects.
 */
export default async (task: {
  readonly bytes: Uint8Array
  readonly wanted: BlockRequest
}): Promise<string> => {
  await ready
  return JSON.stringify(await checkHere(task.bytes, task.wanted))
}
