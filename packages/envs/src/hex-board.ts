/**
 * The 121 cells of a board of 11 rows and columns, row by row: 0 empty, 1 X, 2 O, 3 outside a
 * smaller board, which consists of the first rows and columns. X moves if there are as many X as O.
 */
export type HexBoard = readonly number[]

export const WIDEST = 11
const OUTSIDE = 3
/** A player's chain length for a cell through which no chain connects the player's sides. */
const CUT_OFF = 1000

/** Differences to the touching cells: left, right, above, above right, below and below left. */
const STEPS = [-1, 1, -WIDEST, 1 - WIDEST, WIDEST, WIDEST - 1]

/** The touching cells of each cell. Protocol §3.7. */
export const NEIGHBOURS: readonly (readonly number[])[] = /* @__PURE__ */ createBoard(WIDEST).map(
  (_, cell, cells) => {
    const isNear = (touched: number): boolean =>
      touched in cells && Math.abs((touched % WIDEST) - (cell % WIDEST)) <= 1
    return STEPS.map((step) => cell + step).filter(isNear)
  },
)

export function createBoard(size: number): number[] {
  const board = Array<number>(WIDEST * WIDEST).fill(OUTSIDE)
  for (let row = 0; row < size; row++) board.fill(0, row * WIDEST, row * WIDEST + size)
  return board
}

/** Returns the number of rows, which is the number of columns. */
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

/** Reports whether the chain of marks through a cell connects its player's two sides. */
export function isConnected(board: HexBoard, cell: number): boolean {
  const isOfX = board[cell] === 1
  const chain = new Set([cell])
  const lines = new Set<number>()
  // A loop over a set also visits the items that are added during the loop.
  for (const at of chain) {
    lines.add(isOfX ? Math.floor(at / WIDEST) : at % WIDEST)
    for (const touched of NEIGHBOURS[at] ?? [])
      if (board[touched] === board[cell]) chain.add(touched)
  }
  return lines.has(0) && lines.has(getBoardSize(board) - 1)
}

/**
 * Returns for each cell the lengths of both players' shortest chains through it, added up. The
 * value of a cell with a mark is meaningless. A length is the number of empty cells that a chain
 * needs, this cell counted twice. Protocol §3.7.
 */
export function computeChainLengths(board: HexBoard): readonly number[] {
  const [ofX, ofO] = [addDistances(board, 1), addDistances(board, 2)]
  return ofX.map((length, cell) => Math.min(length, CUT_OFF) + Math.min(ofO[cell] ?? 0, CUT_OFF))
}

/** Returns for each cell the sum of its distances from both sides of a mark. */
export function addDistances(board: HexBoard, mark: 1 | 2): readonly number[] {
  const toLast = computeDistances(board, mark, 1)
  return computeDistances(board, mark, 0).map((distance, cell) => distance + (toLast[cell] ?? 0))
}

/**
 * Returns for each cell the minimum number of empty cells, itself included, on a chain without
 * opposing marks from it to a mark's first or last side; `Infinity` without such a chain.
 * Protocol §3.7.
 */
function computeDistances(board: HexBoard, mark: 1 | 2, side: 0 | 1): readonly number[] {
  const result = Array<number>(board.length).fill(Number.POSITIVE_INFINITY)
  /** Cells at the current and at the next distance. */
  let now: number[] = []
  let next: number[] = []
  const reach = (cell: number, distance: number): void => {
    const isOwn = board[cell] === mark
    if (result[cell] !== Number.POSITIVE_INFINITY || !(isOwn || board[cell] === 0)) return
    result[cell] = isOwn ? distance : distance + 1
    if (isOwn) now.push(cell)
    else next.push(cell)
  }
  for (const cell of listSideCells(mark, side, getBoardSize(board))) reach(cell, 0)
  for (let distance = 0; now.length + next.length > 0; distance++) {
    // A loop over a list also visits the items that are added during the loop.
    for (const cell of now) for (const touched of NEIGHBOURS[cell] ?? []) reach(touched, distance)
    now = next
    next = []
  }
  return result
}

/** Returns the number of empty cells a mark's shortest chain needs; `Infinity` without a chain. */
export function countCellsNeeded(board: HexBoard, mark: 1 | 2): number {
  const lengths = computeDistances(board, mark, 0)
  return Math.min(...listSideCells(mark, 1, getBoardSize(board)).map((cell) => lengths[cell] ?? 0))
}

/** Returns the cells of one side of a mark: rows for X, columns for O. */
function listSideCells(mark: number, side: 0 | 1, size: number): readonly number[] {
  const line = side === 0 ? 0 : size - 1
  const cells: number[] = []
  for (let at = 0; at < size; at++) cells.push(mark === 1 ? line * WIDEST + at : at * WIDEST + line)
  return cells
}
