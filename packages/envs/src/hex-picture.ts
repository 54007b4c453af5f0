import type { Picture, PictureShape } from './explanation.ts'
import { computeDistances, getBoardSize, type HexBoard, WIDEST } from './hex-board.ts'

/** The width of a cell, and how far rows are apart. */
const WIDTH = 24
const ROW = 21
/** From a cell's middle to its six corners. */
const CORNERS = [0, -14, 12, -7, 12, 7, 0, 14, -12, 7, -12, -7]
/** How far the sides reach, from the middles of the outermost cells, in rows and columns. */
const EDGE = 1.2
/** Where rows and columns have their names. */
const NAMED = -0.85
const KINDS = ['empty', 'first', 'second'] as const
const MARKS = ['', 'X', 'O']

/** The board in its two players' sides, the chain marked that joins two of them. */
export function drawHexPicture(board: HexBoard, nameOf: (cell: number) => string): Picture {
  const size = getBoardSize(board)
  const joining = new Set([...findJoiningChain(board, 1), ...findJoiningChain(board, 2)])
  const cells = [...board.keys()].filter((cell) => (board[cell] ?? 3) < 3)
  const shapes = cells.map((cell): PictureShape => {
    const mark = board[cell] ?? 0
    const corners = locateCorners(Math.floor(cell / WIDEST), cell % WIDEST)
    const shape = { kind: KINDS[mark] ?? 'empty', corners, action: cell }
    if (mark === 0) return shape
    const [text = '', isMarked] = [MARKS[mark], joining.has(cell)]
    return { ...shape, text, says: `${nameOf(cell)} ${text}`, isMarked }
  })
  const [width, height] = locateMiddle(size - 1 + EDGE, size - 1 + EDGE)
  return { width, height, shapes: [...drawSides(size), ...drawLabels(size), ...shapes] }
}

/** The cells of a mark's shortest chains that join its sides; none if none does. */
function findJoiningChain(board: HexBoard, mark: 1 | 2): readonly number[] {
  // As if its cells were free and no others: lengths are then counted in them.
  const own = board.map((each) => {
    if (each === mark) return 0
    return each === 3 ? each : 3 - mark
  })
  const [first, last] = [computeDistances(own, mark, 0), computeDistances(own, mark, 1)]
  const lengths = own.map((_, cell) => (first[cell] ?? 0) + (last[cell] ?? 0))
  const least = Math.min(...lengths)
  return [...lengths.keys()].filter((cell) => Number.isFinite(least) && lengths[cell] === least)
}

const locateMiddle = (row: number, column: number): readonly [x: number, y: number] => [
  Math.round(WIDTH * (column + EDGE) + (WIDTH / 2) * (row + EDGE)),
  Math.round(ROW * (row + EDGE)),
]

function locateCorners(row: number, column: number): readonly number[] {
  const middle = locateMiddle(row, column)
  return CORNERS.map((far, at) => far + (middle[at % 2] ?? 0))
}

/** A triangle from the middle of the board behind each of its sides. */
function drawSides(size: number): readonly PictureShape[] {
  const [near, far, half] = [-EDGE, size - 1 + EDGE, (size - 1) / 2]
  const sideOf = (kind: PictureShape['kind'], from: Corner, to: Corner): PictureShape => ({
    kind,
    corners: [...locateMiddle(...from), ...locateMiddle(...to), ...locateMiddle(half, half)],
  })
  return [
    sideOf('first-side', [near, near], [near, far]),
    sideOf('first-side', [far, near], [far, far]),
    sideOf('second-side', [near, near], [far, near]),
    sideOf('second-side', [near, far], [far, far]),
  ]
}

type Corner = readonly [row: number, column: number]

/** The letters of the rows, and the numbers of the columns. */
function drawLabels(size: number): readonly PictureShape[] {
  const lines = [...Array(size).keys()]
  const labelOf = (text: string, row: number, column: number): PictureShape => ({
    kind: 'label',
    corners: locateMiddle(row, column),
    text,
  })
  return [
    ...lines.map((row) => labelOf(String.fromCharCode(65 + row), row, NAMED)),
    ...lines.map((column) => labelOf(String(column + 1), NAMED, column)),
  ]
}
