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

/** JSON in ASCII: a terminal acts on some characters that JSON may hold as they are. */
export function toJson(record: object): string {
  return JSON.stringify(record, plain).replace(/[^ -~]/g, escapeUnit)
}

/** Counts and stakes are BigInt in places: in JSON they are decimal strings. */
const plain = (_: string, value: unknown): unknown =>
  typeof value === 'bigint' ? String(value) : value

const escapeUnit = (unit: string): string =>
  `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
