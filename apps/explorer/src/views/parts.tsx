import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { linkTo } from '../address.ts'
import { type AppState, isValidator } from '../app-state.ts'
import { nameIn } from '../page.ts'

interface HeadingProps {
  /** What kind of thing it is, above it. */
  readonly kind?: string
  readonly children: ComponentChildren
}

/** The heading of a view, which is the title of the window too. */
export function Heading({ kind, children }: HeadingProps): JSX.Element {
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

interface KeyProps {
  readonly state: AppState
  readonly hotkey: string
}

/** A hotkey, as a link to what it did. */
export function Key({ state, hotkey }: KeyProps): JSX.Element {
  const link = isValidator(state, hotkey) ? linkTo.validator : linkTo.miner
  return (
    <a class="key" href={link(hotkey)} title={hotkey}>
      <Face of={hotkey} />
      {nameIn(state)(hotkey)}
    </a>
  )
}

/** A mark by which one hotkey is told from another at a glance: four squares of nine, and a hue. */
export function Face({ of }: { readonly of: string }): JSX.Element {
  const hash = [...of].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 1_000_003, 7)
  const cells = [0, 1, 2, 3, 4, 5].filter((bit) => ((hash >> bit) & 1) === 1)
  return (
    <svg class="face" viewBox="0 0 3 3" width="14" height="14" aria-hidden="true">
      <rect width="3" height="3" fill={`hsl(${hash % 360} 45% 88%)`} />
      {cells.map((cell) => {
        const row = cell % 3
        const columns = cell < 3 ? [0, 2] : [1]
        return columns.map((column) => (
          <rect
            key={`${row}${column}`}
            x={column}
            y={row}
            width="1"
            height="1"
            fill={`hsl(${hash % 360} 55% 38%)`}
          />
        ))
      })}
    </svg>
  )
}

interface BigNumberProps {
  readonly name: string
  readonly value: ComponentChildren
  /** What the number means. */
  readonly children?: ComponentChildren
}

/** A number for a first look, in a `dl` of them. */
export const BigNumber = ({ name, value, children }: BigNumberProps): JSX.Element => (
  <div>
    <dt>{name}</dt>
    <dd class="big">{value}</dd>
    <dd>{children}</dd>
  </div>
)

interface FoldProps {
  readonly summary: ComponentChildren
  /** Drawn once it is open. */
  readonly children: () => ComponentChildren
}

/** What most readers do not need: it is drawn for those that open it. */
export function Fold({ summary, children }: FoldProps): JSX.Element {
  const [isOpen, setOpen] = useState(false)
  return (
    <details class="fold" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{summary}</summary>
      {isOpen && children()}
    </details>
  )
}

interface FewProps {
  /** How many are shown until more are asked for. */
  readonly most: number
  readonly children: readonly JSX.Element[]
}

/** The first of many. */
export function Few({ most, children }: FewProps): JSX.Element {
  const [isWhole, setWhole] = useState(false)
  return (
    <>
      {isWhole ? children : children.slice(0, most)}
      {!isWhole && children.length > most && (
        <li>
          <button type="button" onClick={() => setWhole(true)}>
            Show all {children.length}
          </button>
        </li>
      )}
    </>
  )
}

/** A row of a table: its cells, in the order of the columns. */
interface Row {
  readonly key: string | number
  readonly cells: readonly ComponentChildren[]
  /** Is it marked as wrong? */
  readonly isBad?: boolean
}

interface TableProps {
  readonly title: string
  readonly columns: readonly string[]
  readonly rows: readonly Row[]
}

/**
 * A table below its title. A large one is scrolled by itself, by the keyboard too, so that all of
 * it is found by the browser; in a narrow window each row becomes a few lines, and each cell has
 * its column's name.
 */
export const Table = ({ title, columns, rows }: TableProps): JSX.Element => (
  <section>
    <h2>{title}</h2>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard has to scroll it */}
    <section class="scroll" aria-label={title} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column}>{column}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, cells, isBad }) => (
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
  </section>
)
