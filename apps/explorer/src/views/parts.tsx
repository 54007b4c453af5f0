import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { linkTo } from '../address.ts'
import { hotkeyNames, type StateProps } from '../page.ts'

type WithChildren = { readonly children: ComponentChildren }

/** The heading of a view, which is the title of the window too; `kind` stands above it. */
export function Heading({
  kind,
  children,
}: WithChildren & { readonly kind?: string | undefined }): JSX.Element {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    const said = [heading.current?.textContent, kind].filter((text) => text !== undefined)
    document.title = `${said.join(', ')} · Affine explorer`
  })
  return (
    <>
      {kind !== undefined && <p class="caption">{kind}</p>}
      <h1 ref={heading}>{children}</h1>
    </>
  )
}

/** What is given to what shows one hotkey. */
export interface HotkeyProps extends StateProps {
  readonly hotkey: string
}

/** A hotkey, as a link to what it did. */
export const Key = ({ state, hotkey }: HotkeyProps): JSX.Element => (
  <a class="key" href={linkTo.hotkey(hotkey)} title={hotkey}>
    <Face of={hotkey} />
    {hotkeyNames(state)(hotkey)}
  </a>
)

/** A mark by which one hotkey is told from another at a glance: four squares of nine, and a hue. */
export function Face({ of }: { readonly of: string }): JSX.Element {
  const hash = [...of].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 1_000_003, 7)
  // Of the nine, the third column is as the first.
  const cells = [0, 1, 2, 3, 4, 5, 6, 7, 8].filter((cell) => ((hash >> (cell % 6)) & 1) === 1)
  const squares = cells.map((cell) => `M${Math.trunc(cell / 3)} ${cell % 3}h1v1h-1z`)
  return (
    <svg class="face" viewBox="0 0 3 3" width="14" height="14" aria-hidden="true">
      <rect width="3" height="3" fill={`hsl(${hash % 360} 45% 88%)`} />
      <path d={squares.join('')} fill={`hsl(${hash % 360} 55% 38%)`} />
    </svg>
  )
}

/** A number for a first look, in a `dl` of them, and what it means. */
export const BigNumber = ({
  name,
  value,
  children,
}: WithChildren & Readonly<Record<'name' | 'value', string>>): JSX.Element => (
  <div>
    <dt>{name}</dt>
    <dd class="big">{value}</dd>
    <dd>{children}</dd>
  </div>
)

interface FewProps {
  /** How many are shown until more are asked for. */
  readonly limit: number
  readonly children: readonly JSX.Element[]
}

/** The first of many. */
export function Few({ limit, children }: FewProps): JSX.Element {
  const [isWhole, setWhole] = useState(false)
  return (
    <>
      {isWhole ? children : children.slice(0, limit)}
      {!isWhole && children.length > limit && (
        <li>
          <button type="button" onClick={() => setWhole(true)}>
            Show all {children.length}
          </button>
        </li>
      )}
    </>
  )
}

/** A row of a table: its cells by the names of their columns. */
interface Row {
  readonly key: string | number
  readonly cells: Readonly<Record<string, ComponentChildren>>
  /** Is it marked as wrong? */
  readonly isBad?: boolean
}

interface TableProps {
  readonly title: string
  /** All with the same columns. */
  readonly rows: readonly Row[]
}

/**
 * A table below its title. A large one is scrolled by itself, by the keyboard too, so that all of
 * it is found by the browser; in a narrow window each row becomes a few lines, and each cell has
 * its column's name.
 */
export const Table = ({ title, rows }: TableProps): JSX.Element => (
  <section>
    <h2>{title}</h2>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard has to scroll it */}
    <section class="scroll" aria-label={title} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {Object.keys(rows[0]?.cells ?? {}).map((column) => (
              <th key={column}>{column}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, cells, isBad }) => (
            <tr key={key} class={isBad ? 'aside' : undefined}>
              {Object.entries(cells).map(([column, cell]) => (
                <td key={column} data-column={column}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  </section>
)
