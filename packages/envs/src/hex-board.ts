/**
 * The 121 cells of a board of 11 rows and columns, row by row: 0 empty, 1 X, 2 O, 3 outside a
 * smaller board, which has its first rows and columns. X moves when there are as many X as O.
 */
export type HexBoard = readonly number[]

export const WIDEST = 11
const OUTSIDE = 3
/** The length of a cell that no chain leads through to both sides. */
const CUT_OFF = 1000

/** The cells that touch each cell. Protocol §3.7. */
export const NEIGHBOURS: readonly (readonly number[])[] = /* @__PURE__ */ Array.from(
  { length: WIDEST * WIDEST },
  (_, cell) => listNeighbours(Math.floor(cell / WIDEST), cell % WIDEST),
)

/** Beside it, above, above to the right, below, below to the left. */
function listNeighbours(row: number, column: number): readonly number[] {
  const steps = [
    [0, -1],
    [0, 1],
    [-1, 0],
    [-1, 1],
    [1, 0],
    [1, -1],
  ] as const
  const isIn = (at: number): boolean => at >= 0 && at < WIDEST
  return steps
    .map(([down, right]) => [row + down, column + right] as const)
    .filter(([r, c]) => isIn(r) && isIn(c))
    .map(([r, c]) => r * WIDEST + c)
}

export function createBoard(size: number): number[] {
  const board = Array<number>(WIDEST * WIDEST).fill(OUTSIDE)
  for (let row = 0; row < size; row++) board.fill(0, row * WIDEST, row * WIDEST + size)
  return board
}

/** How many rows and columns it has. */
export function getBoardSize(board: HexBoard): number {
  const end = board.indexOf(OUTSIDE)
  return end === -1 ? WIDEST : end
}

export function getMover(board: HexBoard): 1 | 2 {
  let lead = 0
  for (const mark of board) {
    if (mark === 1) lead += 1
    else if (mark === 2) lead -= 1
  }
  return lead === 0 ? 1 : 2
}

/** Does the chain of a cell's mark that this cell is in join the mark's two sides? */
export function isConnected(board: HexBoard, cell: number): boolean {
  const isOfX = board[cell] === 1
  const chain = new Set([cell])
  const lines = new Set<number>()
  // A set that grows goes on with what was added.
  for (const at of chain) {
    lines.add(isOfX ? Math.floor(at / WIDEST) : at % WIDEST)
    for (const touched of NEIGHBOURS[at] ?? [])
      if (board[touched] === board[cell]) chain.add(touched)
  }
  return lines.has(0) && lines.has(getBoardSize(board) - 1)
}

/**
 * For every empty cell, how long the shortest chains through it are, of both players together: how
 * many empty cells each still needs, this one counted twice. Protocol §3.7.
 */
export function computeChainLengths(board: HexBoard): readonly number[] {
  const [top, bottom] = [computeDistances(board, 1, 0), computeDistances(board, 1, 1)]
  const [left, right] = [computeDistances(board, 2, 0), computeDistances(board, 2, 1)]
  return board.map((_, cell) => {
    const ofX = (top[cell] ?? 0) + (bottom[cell] ?? 0)
    const ofO = (left[cell] ?? 0) + (right[cell] ?? 0)
    return Math.min(ofX, CUT_OFF) + Math.min(ofO, CUT_OFF)
  })
}

/**
 * For every cell, the fewest empty cells, itself included, on a chain without opposing marks from
 * it to one side of a mark: the first, or the last; `Infinity` without one. Protocol §3.7.
 */
export function computeDistances(board: HexBoard, mark: 1 | 2, side: 0 | 1): readonly number[] {
  const found = Array<number>(board.length).fill(Number.POSITIVE_INFINITY)
  /** The cells that are reached at the present distance, and those at the next. */
  let now: number[] = []
  let next: number[] = []
  const reach = (cell: number): void => {
    if (Number.isFinite(found[cell])) return
    if (board[cell] === mark) now.push(cell)
    else if (board[cell] === 0) next.push(cell)
  }
  for (const cell of listSideCells(mark, side, getBoardSize(board))) reach(cell)
  for (let distance = 0; now.length + next.length > 0; distance++) {
    // A list that grows goes on with what was added.
    for (const cell of now) {
      if (Number.isFinite(found[cell])) continue
      found[cell] = distance
      for (const touched of NEIGHBOURS[cell] ?? []) reach(touched)
    }
    now = next
    next = []
  }
  return found
}

/** How many empty cells a mark's shortest chain needs to join its sides; `Infinity` without one. */
export function countCellsNeeded(board: HexBoard, mark: 1 | 2): number {
  const found = computeDistances(board, mark, 0)
  return Math.min(...listSideCells(mark, 1, getBoardSize(board)).map((cell) => found[cell] ?? 0))
}

/** The cells of one of a mark's sides: of X the rows, of O the columns. */
function listSideCells(mark: number, side: 0 | 1, size: number): readonly number[] {
  const line = side === 0 ? 0 : size - 1
  const cells: number[] = []
  for (let at = 0; at < size; at++) cells.push(mark === 1 ? line * WIDEST + at : at * WIDEST + line)
  return cells
}
