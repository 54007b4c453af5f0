import type { Output } from './output.ts'
import { printable } from './text.ts'

/** Records of one shape: a column for each of their fields. */
export type Rows = readonly Readonly<Record<string, unknown>>[]

/** A line about the whole, for people and for machines. */
export interface Title {
  readonly text: string
  readonly record: object
}

/** A value from outside, on one line of a terminal. */
export function shown(value: unknown): string {
  return printable(typeof value === 'string' ? value : JSON.stringify(value), 8000)
}

/** Records as the lines of a table, the first with the names of the fields. */
export function align(rows: Rows): readonly string[] {
  const columns = Object.keys(rows[0] ?? {})
  const cells = [columns, ...rows.map((row) => columns.map((name) => shown(row[name] ?? '-')))]
  const widths = columns.map((_, i) => Math.max(...cells.map((row) => row[i]?.length ?? 0)))
  return cells.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

/** A line about the whole, then the records, for people as a table. */
export function table(screen: Output, { text, record }: Title, rows: Rows): void {
  const [names = '', ...lines] = align(rows)
  screen.line(`${text}\n${names}`.trimEnd(), record)
  for (const [i, line] of lines.entries()) screen.line(line, { type: 'row', ...rows[i] })
}
