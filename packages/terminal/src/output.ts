import { styleText } from 'node:util'
import { type Line, printable, toJson } from '@affine/report/text'
import { maskUrls } from './fault-text.ts'
import { fit } from './fit.ts'

/** The output of a command: text, or with `--json` one JSON object a line. */
export interface Output {
  /** Prints lines, fitted to the terminal and in colour, or with `--json` the record. */
  line(lines: string | readonly Line[], record: object): void
  /**
   * Shows progress on one line of a terminal. The next status overwrites the text, unless it ends
   * with a line feed. Without a terminal, or with `--json`, prints only a text that ends with a
   * line feed, to standard error.
   */
  status(text: string): void
  /**
   * Shows what the command waits for, until it prints the next line. Without a terminal, or with
   * `--json`, prints `text` to standard error after five seconds, and then every 30 seconds.
   */
  wait(text: string): void
}

const [FIRST_NOTICE_MS, NOTICES_MS] = [5000, 30_000]
let awaited = ''
let notice: NodeJS.Timeout | undefined

const CLEAR = '\r\x1b[K'
/** Whether a status is on the terminal's last line. */
let hasStatus = false

/** Prints the latest text to standard error after 5 s, and every 30 s until `endWait`. */
export function beginWait(text: string): void {
  awaited = text
  notice ??= setTimeout(printAwaited, FIRST_NOTICE_MS).unref()
}

function printAwaited(): void {
  printNotice(awaited)
  notice = setTimeout(printAwaited, NOTICES_MS).unref()
}

/** Ends the wait, and removes the status from a terminal. */
export function endWait(): void {
  clearTimeout(notice)
  notice = undefined
  if (hasStatus && process.stdout.isTTY) process.stdout.write(CLEAR)
  hasStatus = false
}

/** Prints at most 1,000 characters to standard error, without the secrets in URLs. */
export const printNotice = (text: string): void => {
  process.stderr.write(`${fit(printable(maskUrls(text), 1000))}\n`)
}

/** Returns an output that prints to standard output; with `json`, only records. */
export function output(json = false): Output {
  const { stdout } = process
  const quiet = {
    status: (text: string) => void (text.endsWith('\n') && printNotice(text.trimEnd())),
    wait: beginWait,
  }
  if (json) return { line: (_, record) => writeLine(toJson(record)), ...quiet }
  const show = (lines: string | readonly Line[]): string => [lines].flat().map(paint).join('\n')
  const line: Output['line'] = (lines) => writeLine(show(lines))
  if (!stdout.isTTY) return { line, ...quiet }
  const status = (text: string): void => {
    const shown = text.endsWith('\n') ? fit(text) : text.slice(0, stdout.columns - 1)
    stdout.write(`${CLEAR}${shown}`)
    hasStatus = !text.endsWith('\n')
  }
  return { line, status, wait: status }
}

function writeLine(text: string): void {
  endWait()
  process.stdout.write(`${text}\n`)
}

const COLOURS = { good: 'green', bad: 'red', warning: 'yellow' } as const

/**
 * Returns a line in the colour of its tone, if standard output is a terminal with colours and
 * NO_COLOR is unset, or if FORCE_COLOR is set.
 */
function paint(line: Line): string {
  if (typeof line === 'string') return fit(line)
  return styleText(COLOURS[line.tone], fit(line.text))
}
