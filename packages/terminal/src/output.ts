import { styleText } from 'node:util'
import { type Line, toJson } from '@affine/report/text'
import { fit } from './fit.ts'

/** The output of a command: text for people, or one JSON object a line for machines. */
export interface Output {
  /** Prints lines, fitted to the terminal and in colour, or with `--json` the record. */
  line(lines: string | readonly Line[], record: object): void
  /**
   * Shows progress on one line of a terminal. The next status overwrites it, unless it ends with a
   * line feed. Without a terminal, prints nothing.
   */
  status(text: string): void
}

/** Returns an output that prints to standard output, with `json` only records. */
export function output(json = false): Output {
  const { stdout } = process
  if (json) return { line: (_, record) => writeLine(toJson(record)), status: () => {} }
  const show = (lines: string | readonly Line[]): string => [lines].flat().map(paint).join('\n')
  if (!stdout.isTTY) return { line: (lines) => writeLine(show(lines)), status: () => {} }
  const clear = '\r\x1b[K'
  return {
    line: (lines) => writeLine(`${clear}${show(lines)}`),
    status: (text) => {
      const shown = text.endsWith('\n') ? fit(text) : text.slice(0, stdout.columns - 1)
      stdout.write(`${clear}${shown}`)
    },
  }
}

function writeLine(text: string): void {
  process.stdout.write(`${text}\n`)
}

const COLOURS = { good: 'green', bad: 'red', warning: 'yellow' } as const

/**
 * Returns a line in the colour of its tone, if standard output is a terminal with colours and
 * NO_COLOR is not set, or if FORCE_COLOR is set.
 */
function paint(line: Line): string {
  if (typeof line === 'string') return fit(line)
  return styleText(COLOURS[line.tone], fit(line.text))
}
