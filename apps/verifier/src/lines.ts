import { digest, type Hash } from '@affine/prng'
import { type Output, toJson } from '@affine/terminal'
import type { Begin, End, Epoch, Note } from './record.ts'
import { endText, lineText } from './record-text.ts'

/** Says what a run finds, line by line, and ends with the digest of its lines. */
export class Lines {
  readonly #screen: Output
  #digest: Hash = ''

  constructor(screen: Output) {
    this.#screen = screen
  }

  add(line: Begin | Epoch | Note): void {
    this.say(lineText(line), line)
  }

  say(text: string, record: object): void {
    this.#digest = digestAfter(this.#digest, toJson(record))
    this.#screen.line(text, record)
  }

  end(end: Omit<End, 'digest'>): void {
    const digest = digestAfter(this.#digest, toJson(end))
    this.#screen.line(endText(end), { ...end, digest })
  }
}

/** The digest of lines of JSON, one after the other; that of none is ''. */
export const digestAfter = (before: Hash, line: string): Hash => digest('line', before, line)
