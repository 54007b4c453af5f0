import { appendFileSync, createReadStream, mkdtempSync, rmSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Sample } from '@affine/blocks'
import { toJson } from '@affine/report'
import type { SamplePlace } from '@affine/settlement'

const PART_LENGTH = 2 ** 20

/**
 * The samples of one epoch, in a temporary file until its end: only then is known which of them
 * count, and they may not fit into memory. The file is removed when the process ends.
 */
export class SpilledSamples {
  #file: string | undefined
  #lines: string[] = []
  #length = 0

  add(sample: Sample, place: SamplePlace): void {
    const line = `${toJson([sample, place])}\n`
    this.#lines.push(line)
    this.#length += line.length
    if (this.#length > PART_LENGTH) this.#write()
  }

  #write(): string {
    this.#file ??= temporaryFile()
    appendFileSync(this.#file, this.#lines.join(''))
    this.#lines = []
    this.#length = 0
    return this.#file
  }

  /** Yields the samples in the order in which they were added, and forgets them. */
  async *take(): AsyncGenerator<readonly [sample: Sample, place: SamplePlace], void> {
    if (this.#length === 0 && this.#file === undefined) return
    const file = this.#write()
    for await (const line of createInterface({ input: createReadStream(file) }))
      yield JSON.parse(line)
    truncateSync(file)
  }
}

/** Returns the path of a file that does not exist yet and is removed when the process ends. */
function temporaryFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'af-verify-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'samples.jsonl')
}
