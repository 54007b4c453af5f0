import type { ComponentChildren, JSX } from 'preact'

interface WideProps {
  /** What it holds, for a screen reader. */
  readonly label: string
  readonly columns: readonly string[]
  /** Its rows. */
  readonly children: ComponentChildren
}

/** A table that may be wider than the window: it is scrolled by itself, by the keyboard too. */
export const Wide = ({ label, columns, children }: WideProps): JSX.Element => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard
  <section class="scroll" aria-label={label} tabIndex={0}>
    <table>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column}>{column}</th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </section>
)
