import type { ComponentChildren, JSX } from 'preact'
import { useState } from 'preact/hooks'

/** A row of a table: its cells, in the order of the columns. */
interface Row {
  readonly key: string | number
  readonly cells: readonly ComponentChildren[]
  /** Is it marked as wrong? */
  readonly isBad?: boolean
}

interface WideProps {
  /** What it holds, for a screen reader. */
  readonly label: string
  readonly columns: readonly string[]
  readonly rows: readonly Row[]
}

/** More rows than these are shown when they are asked for. */
const MOST_ROWS = 16

/**
 * A table. If it is wider than the window, it is scrolled by itself, by the keyboard too; in a
 * narrow window each row becomes a few lines, and each cell has its column's name.
 */
export function Wide({ label, columns, rows }: WideProps): JSX.Element {
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole ? rows : rows.slice(0, MOST_ROWS)
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard has to scroll it */}
      <section class="scroll" aria-label={label} tabIndex={0}>
        <table>
          <thead>
            <tr>
              {columns.map((column) => (
                <th key={column}>{column}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map(({ key, cells, isBad }) => (
              <tr key={key} class={isBad ? 'aside' : undefined}>
                {cells.map((cell, i) => (
                  <td key={columns[i]} data-column={columns[i]}>
                    {cell}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {shown.length < rows.length && (
        <button type="button" onClick={() => setWhole(true)}>
          Show all {rows.length} rows
        </button>
      )}
    </>
  )
}

interface TitledTableProps extends Omit<WideProps, 'label'> {
  readonly title: string
}

/** A table below its title. */
export function TitledTable({ title, ...table }: TitledTableProps): JSX.Element {
  return (
    <section>
      <h2>{title}</h2>
      <Wide label={title} {...table} />
    </section>
  )
}
