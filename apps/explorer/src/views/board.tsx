import type { JSX } from 'preact'

/** Does a board show what is observed in an environment better than lines of text? */
export const isBoard = (env: string): boolean => env.startsWith('tictactoe@')

const NAMES = ['A1', 'A2', 'A3', 'B1', 'B2', 'B3', 'C1', 'C2', 'C3']
const MARKS = ['', '✕', '◯']
const SPOKEN = ['empty', 'X', 'O']

export const cellName = (cell: number): string => NAMES[cell] ?? '?'

interface BoardProps {
  readonly cells: readonly number[]
  /** The cell that was taken, and those that would have been best. */
  readonly taken?: number | undefined
  readonly best?: readonly number[]
  readonly isMistake?: boolean
  /** With it, empty cells can be taken. */
  readonly onTake?: ((cell: number) => void) | undefined
}

/** A board of tic-tac-toe, with a move marked on it, or to be played. */
export function Board(props: BoardProps): JSX.Element {
  const { cells, onTake } = props
  if (onTake === undefined) {
    const label = cells.map((mark, cell) => `${cellName(cell)} ${SPOKEN[mark]}`).join(', ')
    return (
      <div class="board" role="img" aria-label={label}>
        {cells.map((mark, cell) => (
          <span key={cellName(cell)} class={classOf(cell, props)} aria-hidden="true">
            {MARKS[mark]}
          </span>
        ))}
      </div>
    )
  }
  return (
    <div class="board">
      {cells.map((mark, cell) => (
        <button
          key={cellName(cell)}
          type="button"
          class={classOf(cell, props)}
          disabled={mark !== 0}
          aria-label={`${cellName(cell)}, ${SPOKEN[mark]}`}
          onClick={() => onTake(cell)}
        >
          {MARKS[mark]}
        </button>
      ))}
    </div>
  )
}

function classOf(cell: number, { taken, best = [], isMistake }: BoardProps): string {
  const classes = ['cell']
  if (best.includes(cell)) classes.push('best')
  if (cell === taken) classes.push(isMistake ? 'mistake' : 'taken')
  return classes.join(' ')
}
