/** Cells in the order A1, A2, … C3: 0 empty, 1 X, 2 O. */
export type Board = readonly number[]

/** A position of the solved game. */
export interface Position {
  readonly board: Board
  /**
   * For whoever just moved: WON for the winning move, else above 0 for a win ahead, sooner is more.
   */
  readonly score: number
  /** What each cell leads to, undefined if it cannot be taken. */
  readonly next: readonly (Position | undefined)[]
  /**
   * The mover's best cells in ascending order: best value, then fastest win or slowest loss. Where
   * there is none, the game is over.
   */
  readonly best: readonly number[]
}

/** The solved game: its positions by their cells as digits, and those that episodes start from. */
interface Game {
  readonly positions: ReadonlyMap<string, Position>
  readonly starts: readonly Position[]
}

/** The score of a winning move. */
export const WON = 10

const EMPTY = '000000000'
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

/** The solved game, worked out at its first use. Protocol §3.3. */
export function solvedGame(): Game {
  solved ??= solve()
  return solved
}

/** X when the marks are equally many. One X and one O add up to 3, so the sum tells. */
export function getMover(board: Board): 1 | 2 {
  return board.reduce((sum, mark) => sum + mark, 0) % 3 === 0 ? 1 : 2
}

/** The cells of the first row, column or diagonal of one mark; undefined without one. */
export function findLine(board: Board): readonly number[] | undefined {
  return LINES.find(([a = 0, b = 0, c = 0]) => {
    const mark = board[a]
    return mark !== 0 && mark === board[b] && mark === board[c]
  })
}

/** Negamax over the 5478 positions that play can reach. */
function solve(): Game {
  const positions = new Map<string, Position>()
  const visit = (cells: string): Position => {
    const known = positions.get(cells)
    if (known !== undefined) return known
    const position = createPosition(cells, visit)
    positions.set(cells, position)
    return position
  }
  visit(EMPTY)
  // As texts of digits they sort like the numbers.
  const starts = [...positions.keys()].sort().map(visit).filter(isStart)
  return { positions, starts }
}

/** A position, by those that it leads to. */
function createPosition(cells: string, visit: (cells: string) => Position): Position {
  const board = Object.freeze([...cells].map(Number))
  const mover = getMover(board)
  const isWon = findLine(board) !== undefined
  const put = (cell: number): string => cells.slice(0, cell) + mover + cells.slice(cell + 1)
  const next = board.map((mark, cell) => {
    if (isWon || mark !== 0) return undefined
    return visit(put(cell))
  })
  const top = Math.max(...listScores(next))
  const best = [...next.keys()].filter((cell) => next[cell]?.score === top)
  if (isWon) return { board, score: WON, next, best }
  if (best.length === 0) return { board, score: 0, next, best }
  // The mover's best, negated, one nearer to 0: what comes later weighs less.
  return { board, score: Math.sign(top) - top, next, best }
}

/** Does some move give away a win or a draw? Where all is lost, there is nothing to give away. */
function isStart({ next }: Position): boolean {
  const values = listScores(next).map(Math.sign)
  return values.some((value) => value < Math.max(...values))
}

function listScores(next: Position['next']): readonly number[] {
  return next.flatMap((position) => position?.score ?? [])
}
