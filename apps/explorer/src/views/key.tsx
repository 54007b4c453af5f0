import type { JSX } from 'preact'
import { linkTo } from '../address.ts'
import { type AppState, isValidator } from '../app-state.ts'
import { nameIn } from '../page.ts'
import { shortOf } from '../visible.ts'

interface KeyProps {
  readonly state: AppState
  readonly hotkey: string
}

/** A hotkey, as a link to what it did. */
export function Key({ state, hotkey }: KeyProps): JSX.Element {
  const link = isValidator(state, hotkey) ? linkTo.validator : linkTo.miner
  return (
    <a class="key" href={link(hotkey)} title={hotkey}>
      <Dot of={hotkey} />
      {nameIn(state)(hotkey)}
    </a>
  )
}

/** A mark by which one hotkey is told from another at a glance: four squares of nine, and a hue. */
function Dot({ of }: { readonly of: string }): JSX.Element {
  const hash = [...of].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 1_000_003, 7)
  const cells = [0, 1, 2, 3, 4, 5].filter((bit) => ((hash >> bit) & 1) === 1)
  return (
    <svg class="dot" viewBox="0 0 3 3" width="14" height="14" aria-hidden="true">
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

/** A hash by its ends. */
export const Hash = ({ of }: { readonly of: string }): JSX.Element => (
  <code title={of}>{shortOf(of)}</code>
)
