import { digest, type Hash } from '@affine/prng'
import { toJson } from '@affine/report'
import type { Output } from '@affine/terminal'
import type { OpenEnd } from './output-records.ts'
import type { BeginRecord, EpochRecord, NoteRecord } from './record.ts'
import { type Epochs, endText, lineText } from './record-text.ts'

/** Prints the results of a run, line by line, and ends with the digest of the lines. */
export class Lines {
  readonly #screen: Output
  #digest: Hash = ''

  constructor(screen: Output) {
    this.#screen = screen
  }

  add(line: BeginRecord | EpochRecord | NoteRecord): void {
    this.say(lineText(line), line)
  }

  say(text: string, record: object): void {
    this.#digest = digestAfter(this.#digest, toJson(record))
    this.#screen.line(text, record)
  }

  /** Prints the end, and sets the exit code accordingly. */
  end(end: OpenEnd, partly: readonly Epochs[]): void {
    const digest = digestAfter(this.#digest, toJson(end))
    this.#screen.line(endText(end, partly), { ...end, digest })
    if (end.flaws > 0) process.exitCode = 1
    else if (partly.length > 0) process.exitCode = 3
  }
}

/** The digest of lines of JSON, extended by one line; '' before the first. */
export const digestAfter = (before: Hash, line: string): Hash => digest('line', before, line)
