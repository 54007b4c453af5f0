/** Cells in the order A1, A2, … C3: 0 empty, 1 X, 2 O. */
export type Board = readonly number[]

/** A position of tic-tac-toe with its best moves, computed by solving the whole game. */
export interface Position {
  readonly board: Board
  /**
   * Score for the player that just moved, if both play perfectly from here: `WON` if it has won,
   * above 0 if it will win, 0 for a draw, below 0 if it will lose. A later win scores less, a later
   * loss more.
   */
  readonly score: number
  /** The position after a mark in each cell, undefined for an illegal move. */
  readonly next: readonly (Position | undefined)[]
  /**
   * The cells of the next player's best moves in ascending order. The best move wins as early as
   * possible, otherwise draws, otherwise loses as late as possible. Empty if the game is over.
   */
  readonly best: readonly number[]
}

/** The solved game: positions by their nine cells as digits, and the starts of episodes. */
interface Game {
  readonly positions: ReadonlyMap<string, Position>
  readonly starts: readonly Position[]
}

/** The score of a winning move. */
export const WON = 10

const LINES = [
  [0, 1, 2],
  [3, 4, 5],
  [6, 7, 8],
  [0, 3, 6],
  [1, 4, 7],
  [2, 5, 8],
  [0, 4, 8],
  [2, 4, 6],
]

let solved: Game | undefined

/** Returns the solved game, computed at the first call. Protocol §3.3. */
export function solvedGame(): Game {
  solved ??= solve()
  return solved
}

/**
 * Returns the player that moves next: X if the board has as many X as O. One X and one O add up to
 * 3, so the sum of the cells decides.
 */
export const getMover = (board: Board): 1 | 2 =>
  board.reduce((sum, mark) => sum + mark, 0) % 3 === 0 ? 1 : 2

/** Returns the cells of the first row, column or diagonal of three equal marks, or undefined. */
export function findLine(board: Board): readonly number[] | undefined {
  return LINES.find(([a = 0, b = 0, c = 0]) => {
    const mark = board[a]
    return mark !== 0 && mark === board[b] && mark === board[c]
  })
}

/** Solves the game by negamax over its 5478 reachable positions. */
function solve(): Game {
  const positions = new Map<string, Position>()
  const visit = (cells: string): Position => {
    const position = positions.get(cells) ?? createPosition(cells, visit)
    positions.set(cells, position)
    return position
  }
  visit('0'.repeat(9))
  // Texts of equally many digits sort as the numbers do.
  const starts = [...positions.keys()].sort().map(visit).filter(isStart)
  return { positions, starts }
}

/** Returns the position with these cells. `visit` returns the positions after its moves. */
function createPosition(cells: string, visit: (cells: string) => Position): Position {
  const board = Object.freeze([...cells].map(Number))
  const mover = getMover(board)
  const isWon = findLine(board) !== undefined
  const put = (cell: number): string => cells.slice(0, cell) + mover + cells.slice(cell + 1)
  const next = board.map((mark, cell) => (isWon || mark !== 0 ? undefined : visit(put(cell))))
  const moves = next.filter((position) => position !== undefined)
  const top = moves.length === 0 ? 0 : Math.max(...moves.map(({ score }) => score))
  const best = [...next.keys()].filter((cell) => next[cell]?.score === top)
  // The score is the mover's best score, negated and one closer to 0, because a later result
  // counts less.
  return { board, score: isWon ? WON : Math.sign(top) - top, next, best }
}

/** Reports whether some move gives away a win or a draw. */
const isStart = ({ score, next }: Position): boolean =>
  next.some((after) => after !== undefined && Math.sign(after.score) < -Math.sign(score))
