import { styleText } from 'node:util'
import { type Line, printable, toJson } from '@affine/report/text'
import { maskUrls } from './fault-text.ts'
import { columns, fit } from './fit.ts'

/** The output of a command: text, or with `--json` one JSON object a line. */
export interface Output {
  /** Prints lines, fitted to the terminal and in colour, or with `--json` the record. */
  line(lines: string | readonly Line[], record: object): void
  /**
   * Shows progress on one line of a terminal. The next status overwrites the text, unless the text
   * ends with a line feed. Without a terminal, or with `--json`, prints only a text that ends with
   * a line feed, to standard error.
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

/**
 * Prints the text of the latest call to standard error after 5 s, and then every 30 s until
 * `endWait`.
 */
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

/** Returns the command of a program for a hint: with npx if npm started this program. */
export const formatCommand = (name: 'af' | 'af-verify'): string =>
  process.env.npm_command === undefined ? name : `npx ${name}`

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

/** Records with the same fields. */
type Rows = readonly Readonly<Record<string, unknown>>[]

/** Returns an untrusted value as one printable line. */
export function formatValue(value: unknown): string {
  return printable(typeof value === 'string' ? value : JSON.stringify(value), 8000)
}

const BETWEEN = '  '

/**
 * Returns records as the rows of a table, after a row with the field names. If a row is wider than
 * the terminal, the first row is empty, and the others have one line for each field.
 */
export function formatTable(rows: Rows): readonly string[] {
  const names = Object.keys(rows[0] ?? {})
  const records = rows.map((row) => names.map((name) => formatValue(row[name] ?? '-')))
  const cells = [names, ...records]
  const widths = names.map((_, i) => Math.max(...cells.map((row) => row[i]?.length ?? 0)))
  const lines = cells.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join(BETWEEN)
      .trimEnd(),
  )
  if (lines.every(({ length }) => length <= columns())) return lines
  return ['', ...records.map((record) => formatFields(names, record))]
}

function formatFields(names: readonly string[], record: readonly string[]): string {
  const width = Math.max(...names.map((name) => name.length))
  return names.map((name, i) => `${name.padEnd(width)}${BETWEEN}${record[i]}\n`).join('')
}

/** Prints a title and the records; without `--json`, as a table. */
export function printTable(
  screen: Output,
  { text, record }: { readonly text: string; readonly record: object },
  rows: Rows,
): void {
  const [names = '', ...lines] = formatTable(rows)
  screen.line(`${text}\n${names}`.trimEnd(), record)
  for (const [i, line] of lines.entries()) screen.line(line, { type: 'row', ...rows[i] })
}
