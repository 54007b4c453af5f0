import { createReadStream, ftruncateSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Sample } from '@affine/blocks'
import { toJson } from '@affine/report'
import type { SamplePlace } from '@affine/settlement'

/**
 * The samples of one epoch, in a temporary file until its end: only then is known which of them
 * count, and they may not fit into memory.
 */
export class SpilledSamples {
  #file: number | undefined

  add(sample: Sample, place: SamplePlace): void {
    this.#file ??= openTemporary()
    writeSync(this.#file, `${toJson([sample, place])}\n`)
  }

  /** Yields the samples in the order in which they were added, and forgets them. */
  async *take(): AsyncGenerator<readonly [sample: Sample, place: SamplePlace], void> {
    if (this.#file === undefined) return
    const input = createReadStream('', { fd: this.#file, start: 0, autoClose: false })
    for await (const line of createInterface({ input })) yield JSON.parse(line)
    ftruncateSync(this.#file)
  }
}

/** Opens a file that has no name any more, so that it is gone when the process ends. */
function openTemporary(): number {
  const folder = mkdtempSync(join(tmpdir(), 'af-verify-'))
  const file = openSync(join(folder, 'samples.jsonl'), 'a+')
  rmSync(folder, { recursive: true })
  return file
}
