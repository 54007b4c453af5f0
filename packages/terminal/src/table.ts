import { printable } from '@affine/report/text'
import { columns } from './fit.ts'
import type { Output } from './output.ts'

/** Records with the same fields. */
export type Rows = readonly Readonly<Record<string, unknown>>[]

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
