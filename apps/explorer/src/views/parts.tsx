import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { linkTo } from '../address.ts'
import { hotkeyNames, type StateProps } from '../page.ts'

interface HeadingProps {
  readonly kind?: string | undefined
  readonly children: ComponentChildren
}

/** Shows the heading of a view, with `kind` above it, and sets the title of the window. */
export function Heading({ kind, children }: HeadingProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    const titles = [heading.current?.textContent, kind].filter((text) => text !== undefined)
    document.title = `${titles.join(', ')} · Affine explorer`
  })
  return (
    <>
      {kind !== undefined && <p class="caption">{kind}</p>}
      <h1 ref={heading}>{children}</h1>
    </>
  )
}

export interface HotkeyProps extends StateProps {
  readonly hotkey: string
  readonly isBad?: boolean
}

/** Shows a hotkey as a link to its view. */
export const Key = ({ state, hotkey, isBad = false }: HotkeyProps) => (
  <a class={isBad ? 'key bad' : 'key'} href={linkTo.hotkey(hotkey)} title={hotkey}>
    <Face of={hotkey} />
    {hotkeyNames(state)(hotkey)}
  </a>
)

/** Shows a mark that distinguishes hotkeys at a glance: squares in a grid of nine, and a hue. */
export function Face({ of }: { readonly of: string }) {
  const hash = [...of].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 1_000_003, 7)
  // The third column repeats the first.
  const cells = [0, 1, 2, 3, 4, 5, 6, 7, 8].filter((cell) => ((hash >> (cell % 6)) & 1) === 1)
  const squares = cells.map((cell) => `M${Math.trunc(cell / 3)} ${cell % 3}h1v1h-1z`)
  return (
    <svg class="face" viewBox="0 0 3 3" width="14" height="14" aria-hidden="true">
      <rect width="3" height="3" fill={`hsl(${hash % 360} 45% 88%)`} />
      <path d={squares.join('')} fill={`hsl(${hash % 360} 55% 38%)`} />
    </svg>
  )
}

interface FewProps {
  /** Number of items shown before the reader requests all. */
  readonly limit: number
  readonly children: readonly JSX.Element[]
}

/** Shows the first items, and a button that shows all. */
export function Few({ limit, children }: FewProps) {
  const [isWhole, setWhole] = useState(false)
  return (
    <>
      {isWhole ? children : children.slice(0, limit)}
      {!isWhole && children.length > limit && (
        <li>
          <button type="button" onClick={() => setWhole(true)}>
            Show {children.length - limit} more
          </button>
        </li>
      )}
    </>
  )
}

interface TableProps {
  readonly title: string
  /** Cells of each row by column. */
  readonly rows: readonly Readonly<Record<string, ComponentChildren>>[]
}

/** Shows a table below its title. In a narrow window each row becomes a card. */
export const Table = ({ title, rows }: TableProps) => (
  <section aria-label={title}>
    <h2>{title}</h2>
    <table>
      <thead>
        <tr>
          {Object.keys(rows[0] ?? {}).map((column) => (
            <th key={column}>{column}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, i) => (
          <tr key={i}>
            {Object.entries(row).map(([column, cell]) => (
              <td key={column} data-column={column}>
                <div>{cell}</div>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </section>
)
