import { toJson } from '@affine/report'
import { fit } from './fit.ts'
import { paint } from './paint.ts'

/** Where a command says what happens: lines for people, or one JSON object a line for machines. */
export interface Output {
  /** Says `text`, fitted to the terminal and in colour, or with `--json` the record. */
  line(text: string, record: object): void
  /**
   * A passing state of things: shown on one line of a terminal, overwritten by the next. Nothing
   * elsewhere.
   */
  status(text: string): void
}

/** Says things on standard output; with `json`, records alone. */
export function output(json = false): Output {
  const { stdout } = process
  if (json) return { line: (_, record) => writeLine(toJson(record)), status: () => {} }
  const show = (text: string): string => paint(fit(text))
  if (!stdout.isTTY) return { line: (text) => writeLine(show(text)), status: () => {} }
  const clear = '\r\x1b[K'
  return {
    line: (text) => writeLine(`${clear}${show(text)}`),
    status: (text) => {
      stdout.write(`${clear}${text.slice(0, stdout.columns - 1)}`)
    },
  }
}

function writeLine(text: string): void {
  process.stdout.write(`${text}\n`)
}
