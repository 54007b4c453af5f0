import { printable } from '@affine/report/text'
import { columns, wrap } from './fit.ts'
import type { Output } from './output.ts'

/** Records with the same fields: one column for each field. */
export type Rows = readonly Readonly<Record<string, unknown>>[]

/** An untrusted value, on one line of a terminal. */
export function shown(value: unknown): string {
  return printable(typeof value === 'string' ? value : JSON.stringify(value), 8000)
}

/** Narrower cells cannot be read. */
const NARROWEST = 12
const BETWEEN = '  '

/**
 * Records as the rows of a table, after a row with the names of the fields. In a narrow terminal a
 * row takes several lines. In a very narrow one the first row is empty, and the others have one
 * line for each field.
 */
export function align(rows: Rows): readonly string[] {
  const names = Object.keys(rows[0] ?? {})
  const records = rows.map((row) => names.map((name) => shown(row[name] ?? '-')))
  const cells = [names, ...records]
  const widest = names.map((_, i) => Math.max(...cells.map((row) => row[i]?.length ?? 0)))
  const widths = narrowed(widest, columns() - BETWEEN.length * (names.length - 1))
  if (widths !== undefined) return cells.map((row) => rowText(row, widths))
  return ['', ...records.map((record) => listText(names, record))]
}

/** The widths, with the widest reduced until all fit; undefined if they cannot fit. */
function narrowed(widest: readonly number[], room: number): readonly number[] | undefined {
  const widths = [...widest]
  let excess = widths.reduce((sum, width) => sum + width, 0) - room
  for (; excess > 0; excess--) {
    const most = Math.max(...widths)
    if (most <= NARROWEST) return undefined
    widths[widths.indexOf(most)] = most - 1
  }
  return widths
}

function rowText(row: readonly string[], widths: readonly number[]): string {
  const columns = row.map((cell, i) => wrap(cell, widths[i] ?? 0))
  const height = Math.max(...columns.map((lines) => lines.length))
  const lineAt = (at: number): string =>
    columns.map((lines, i) => (lines[at] ?? '').padEnd(widths[i] ?? 0)).join(BETWEEN)
  return Array.from({ length: height }, (_, at) => lineAt(at).trimEnd()).join('\n')
}

function listText(names: readonly string[], record: readonly string[]): string {
  const width = Math.max(...names.map((name) => name.length))
  return names.map((name, i) => `${name.padEnd(width)}${BETWEEN}${record[i]}\n`).join('')
}

/** Prints a title, then the records; for people as a table. */
export function table(
  screen: Output,
  { text, record }: { readonly text: string; readonly record: object },
  rows: Rows,
): void {
  const [names = '', ...lines] = align(rows)
  screen.line(`${text}\n${names}`.trimEnd(), record)
  for (const [i, line] of lines.entries()) screen.line(line, { type: 'row', ...rows[i] })
}
