import type { Picture, PictureShape } from './explanation.ts'
import { addDistances, getBoardSize, getMover, type HexBoard, WIDEST } from './hex-board.ts'

/** Width of a cell; `ROW` is the distance between rows. */
const WIDTH = 24
const ROW = 21
/** The six corners, relative to a cell's middle. */
const CORNERS = [0, -14, 12, -7, 12, 7, 0, 14, -12, 7, -12, -7]
/** Distance of the edge from the middles of the outermost cells, in rows and columns. */
const EDGE = 1.2
/** Row or column of the labels. */
const LABEL = -0.85
const KINDS = ['empty', 'first', 'second'] as const
const MARKS = ['', 'X', 'O']

/**
 * Returns a picture of a board with both players' sides and the winning chain marked, and the
 * mover's mark in the cell that it chose.
 */
export function drawHexPicture(
  board: HexBoard,
  nameOf: (cell: number) => string,
  chosen?: number,
): Picture {
  const size = getBoardSize(board)
  const joining = new Set([...findJoiningChain(board, 1), ...findJoiningChain(board, 2)])
  const cells = [...board.keys()].filter((cell) => (board[cell] ?? 3) < 3)
  const shapes = cells.map((cell): PictureShape => {
    const mark = board[cell] ?? 0
    const corners = locateCorners(Math.floor(cell / WIDEST), cell % WIDEST)
    const shape = { kind: KINDS[mark] ?? 'empty', corners, action: cell }
    if (mark === 0)
      return cell === chosen ? { ...shape, text: MARKS[getMover(board)] ?? '' } : shape
    const text = MARKS[mark] ?? ''
    return { ...shape, text, says: `${nameOf(cell)} ${text}`, isMarked: joining.has(cell) }
  })
  const [width, height] = locateMiddle(size - 1 + EDGE, size - 1 + EDGE)
  return { width, height, shapes: [...drawSides(size), ...drawLabels(size), ...shapes] }
}

/** Returns the cells of a mark's shortest chains that connect its sides, if any do. */
function findJoiningChain(board: HexBoard, mark: 1 | 2): readonly number[] {
  // The mark's cells become empty and all others blocked, so that lengths count the mark's cells.
  const own = board.map((each) => {
    if (each === mark) return 0
    return each === 3 ? each : 3 - mark
  })
  const lengths = addDistances(own, mark)
  const min = Math.min(...lengths)
  return [...lengths.keys()].filter((cell) => Number.isFinite(min) && lengths[cell] === min)
}

const locateMiddle = (row: number, column: number): readonly [x: number, y: number] => [
  Math.round(WIDTH * (column + EDGE) + (WIDTH / 2) * (row + EDGE)),
  Math.round(ROW * (row + EDGE)),
]

function locateCorners(row: number, column: number): readonly number[] {
  const middle = locateMiddle(row, column)
  return CORNERS.map((far, at) => far + (middle[at % 2] ?? 0))
}

/** Returns one triangle for each side of the board, with its tip in the middle of the board. */
function drawSides(size: number): readonly PictureShape[] {
  const [near, far, half] = [-EDGE, size - 1 + EDGE, (size - 1) / 2]
  const middle = locateMiddle(half, half)
  return [near, far].flatMap((edge): readonly PictureShape[] => {
    const row = [...locateMiddle(edge, near), ...locateMiddle(edge, far), ...middle]
    const column = [...locateMiddle(near, edge), ...locateMiddle(far, edge), ...middle]
    return [
      { kind: 'first-side', corners: row },
      { kind: 'second-side', corners: column },
    ]
  })
}

const drawLabels = (size: number): readonly PictureShape[] =>
  [...Array(size).keys()].flatMap((line): readonly PictureShape[] => [
    { kind: 'label', corners: locateMiddle(line, LABEL), text: String.fromCharCode(65 + line) },
    { kind: 'label', corners: locateMiddle(LABEL, line), text: String(line + 1) },
  ])
