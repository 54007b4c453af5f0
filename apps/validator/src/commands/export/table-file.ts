import { closeSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import type { Cell } from '@affine/report'
import { stringify } from 'csv-stringify/sync'

/** What gathers before it is written. */
const MOST_CHARACTERS = 65_536

/** Cells as a line of RFC 4180. */
export function lineOf(cells: readonly Cell[]): string {
  const rules = { record_delimiter: 'windows', quoted_match: /[\r\n]/, cast: { boolean: String } }
  return stringify([[...cells]], rules)
}

/**
 * A table in a file of its own, which has its name once `end` and `name` were called: until then it
 * is a part, as `samples.csv.part`, and is removed when it is disposed of. Writing waits for the
 * disk, so that no more than 64 kB gather.
 */
export class TableFile implements Disposable {
  readonly #path: string
  readonly #part: string
  #file: number | undefined
  #waiting: string
  /** Without the heading. */
  rows = 0

  constructor(path: string, columns: readonly string[]) {
    this.#path = path
    this.#part = `${path}.part`
    this.#file = openSync(this.#part, 'wx')
    this.#waiting = lineOf(columns)
  }

  /** What comes after the end goes nowhere. */
  add(cells: readonly Cell[]): void {
    this.#waiting += lineOf(cells)
    this.rows += 1
    if (this.#waiting.length >= MOST_CHARACTERS) this.#write()
  }

  end(): void {
    this.#write()
    this.#close()
  }

  name(): void {
    renameSync(this.#part, this.#path)
  }

  [Symbol.dispose](): void {
    this.#close()
    rmSync(this.#part, { force: true })
  }

  #write(): void {
    const text = this.#waiting
    this.#waiting = ''
    if (this.#file === undefined) return
    try {
      writeFileSync(this.#file, text)
    } catch (cause) {
      throw new Error(`cannot write ${this.#path}: ${(cause as Error).message}`, { cause })
    }
  }

  #close(): void {
    if (this.#file !== undefined) closeSync(this.#file)
    this.#file = undefined
  }
}
