import { styleText } from 'node:util'
import { toJson } from '@affine/report/text'
import { fit } from './fit.ts'

/** The output of a command: lines for people, or one JSON object a line for machines. */
export interface Output {
  /** Prints `text`, fitted to the terminal and in colour; with `--json` the record instead. */
  line(text: string, record: object): void
  /**
   * Shows progress on one line of a terminal; the next status overwrites it, unless it ends with a
   * line feed. Prints nothing elsewhere.
   */
  status(text: string): void
}

/** Prints on standard output; with `json` only records. */
export function output(json = false): Output {
  const { stdout } = process
  if (json) return { line: (_, record) => writeLine(toJson(record)), status: () => {} }
  const show = (text: string): string => paint(fit(text))
  if (!stdout.isTTY) return { line: (text) => writeLine(show(text)), status: () => {} }
  const clear = '\r\x1b[K'
  return {
    line: (text) => writeLine(`${clear}${show(text)}`),
    status: (text) => {
      const shown = text.endsWith('\n') ? show(text) : text.slice(0, stdout.columns - 1)
      stdout.write(`${clear}${shown}`)
    },
  }
}

function writeLine(text: string): void {
  process.stdout.write(`${text}\n`)
}

/** What is shown in green, and what in red. */
const GOOD = /[✔★]|\bwin\b(?<=[→:]\s+win)|\bIt won\b|\bEverything\s+holds\./g
const BAD = /✘|\bhold\b(?<=[→:]\s+hold)|\bIt lost\b|\bNot\s+everything\s+holds\b/g

/**
 * A text with marks and verdicts in colour, if standard output is a terminal with colours and
 * NO_COLOR is not set, or if FORCE_COLOR is set.
 */
export function paint(text: string): string {
  return text
    .replace(GOOD, (found) => styleText('green', found))
    .replace(BAD, (found) => styleText('red', found))
}
