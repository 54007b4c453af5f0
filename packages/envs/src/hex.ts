import type { Generator } from '@affine/prng'
import type { EnvSpec } from './definition.ts'
import type { LastTurn } from './explanation.ts'
import {
  computeChainLengths,
  countCellsNeeded,
  createBoard,
  getBoardSize,
  getMover,
  type HexBoard,
  isConnected,
  WIDEST,
} from './hex-board.ts'
import { drawHexPicture } from './hex-picture.ts'
import { Box, Discrete } from './spaces.ts'
import { defineGame } from './spec.ts'

const ROWS = 'ABCDEFGHIJK'
const COLUMNS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]
const MARKS = '.XO'

/**
 * Hex for two players, on boards of 7, 9 and 11 rows that begin with some marks. The first player
 * to connect its two sides wins. There are no draws. Protocol §3.7.
 */
export const hex: EnvSpec = /* @__PURE__ */ defineGame<HexBoard, HexBoard, number>({
  name: 'hex',
  version: '0.1.0',
  // This is the number of empty cells of the largest board at the start.
  maxSteps: 91,
  replyMs: 10_000,
  clockMs: 300_000,
  lowestReward: -1,
  highestReward: 1,
  actionSpace: /* @__PURE__ */ Discrete(WIDEST * WIDEST),
  observationSpace: /* @__PURE__ */ Box({ low: 0, high: 3, length: WIDEST * WIDEST }),
  initial: drawOpening,
  truth: (board) => drawBoard(board).slice(1).join('\n'),
  difficulty: getBoardSize,
  observe: (board) => board,
  step: (board, cell) => {
    if (board[cell] !== 0) return null
    const state = [...board]
    state[cell] = getMover(board)
    return { state, won: isConnected(state, cell) }
  },
  prompt: writeHexPrompt,
  parse: (answer) => {
    const [, row = '', column] = /^([A-Ka-k])([1-9]|1[01])$/.exec(answer) ?? []
    if (column === undefined) return null
    return ROWS.indexOf(row.toUpperCase()) * WIDEST + Number(column) - 1
  },
  format: formatCell,
  solve: (prompt) => formatCell(scriptedMove(readBoard(prompt))),
  guess: (prompt, random) => {
    const size = getBoardSize(readBoard(prompt))
    const cell = random.integers(0, size * size)
    return formatCell(Math.floor(cell / size) * WIDEST + (cell % size))
  },
  explain: {
    title: 'Hex',
    draw: drawBoard,
    picture: (board, cell) => drawHexPicture(board, formatCell, cell),
    role: (board) => {
      const mover = getMover(board)
      return `${MARKS[mover]}, and joins ${describeSides(mover, getBoardSize(board))}`
    },
    whyGivenUp: explainLag,
    ending: explainWinner,
  },
})

/**
 * Draws a board with pairs of opposing marks, mirrored at the main diagonal. The mirror makes the
 * position equal for both players.
 */
function drawOpening(random: Generator): HexBoard {
  const size = 7 + 2 * random.integers(0, 3)
  const board = createBoard(size)
  const above: (readonly [row: number, column: number])[] = []
  for (let row = 0; row < size; row++)
    for (let column = row + 1; column < size; column++) above.push([row, column])
  for (let i = 0; i < Math.floor((size * size) / 8); i++) {
    const j = random.integers(i, above.length)
    const [row, column] = above[j] as (typeof above)[number]
    above[j] = above[i] as (typeof above)[number]
    const mark = random.integers(0, 2) === 0 ? 1 : 2
    board[row * WIDEST + column] = mark
    board[column * WIDEST + row] = 3 - mark
  }
  return board
}

function formatCell(cell: number): string {
  return `${ROWS[Math.floor(cell / WIDEST)]}${(cell % WIDEST) + 1}`
}

function drawBoard(board: HexBoard): readonly string[] {
  const size = getBoardSize(board)
  const lines = [`  ${COLUMNS.slice(0, size).join(' ')}`]
  for (let row = 0; row < size; row++) {
    const start = row * WIDEST
    const middle = start + HALF
    const left = formatMarks(board, start, middle)
    const right = formatMarks(board, middle, start + size)
    lines.push(`${ROWS[row]} ${left} ${right}`)
  }
  return lines
}

/** Number of cells in the first half of a row. The smallest row has more cells. */
const HALF = 6
/** Cached texts of at most `HALF` marks. The index is, in base 3, a 1 followed by the marks. */
const marksTexts: string[] = []

/** Returns the marks from cell `start` to cell `end - 1`. */
function formatMarks(board: HexBoard, start: number, end: number): string {
  let index = 1
  for (let cell = start; cell < end; cell++) index = 3 * index + (board[cell] ?? 0)
  const cached = marksTexts[index]
  if (cached !== undefined) return cached
  const marks = board.slice(start, end).map((mark) => MARKS[mark])
  const text = marks.join(' ')
  marksTexts[index] = text
  return text
}

function writeHexPrompt(board: HexBoard): string {
  const size = getBoardSize(board)
  const mover = getMover(board)
  const rival = findRival(mover)
  const task = `you are ${MARKS[mover]} and join ${describeSides(mover, size)}`
  const rivals = `the opponent is ${MARKS[rival]} and joins ${describeSides(rival, size)}`
  return (
    `Hex: ${task}, ${rivals}, "." is an empty cell, and it is your move.\n\n` +
    `${drawBoard(board).join('\n')}\n\n` +
    'You both put a mark in an empty cell in turn; ' +
    'a chain of touching cells with your mark from one of your sides to the other wins.\n' +
    'Up to six cells touch one: B2 touches A2, A3, B1, B3, C1 and C2.\n' +
    'A reply that is not a legal move loses, as does one that is late.\n' +
    'You may think first. Give your move as row and column, such as B2, ' +
    'alone on the last line, with nothing after it.'
  )
}

/** Returns the board of a prompt. @throws TypeError for any other text. */
function readBoard(prompt: string): HexBoard {
  const rows = prompt.startsWith('Hex: ') ? (prompt.match(/^[A-K]( [.XO])+$/gm) ?? []) : []
  if (rows.length === 0) throw new TypeError('"prompt" expected a prompt of hex')
  const board = createBoard(rows.length)
  for (const [row, text] of rows.entries())
    for (let column = 0; column < rows.length; column++)
      board[row * WIDEST + column] = MARKS.indexOf(text[2 + 2 * column] ?? '')
  return board
}

/**
 * Returns the empty cell for which `computeChainLengths` is least, the first of equal cells.
 * Protocol §3.7.
 */
function scriptedMove(board: HexBoard): number {
  const lengths = computeChainLengths(board).map((length, cell) =>
    board[cell] === 0 ? length : Number.POSITIVE_INFINITY,
  )
  return lengths.indexOf(Math.min(...lengths))
}

const findRival = (mark: 1 | 2): 1 | 2 => (mark === 1 ? 2 : 1)

const describeSides = (mark: 1 | 2, size: number): string =>
  mark === 1 ? `row A with row ${ROWS[size - 1]}` : `column 1 with column ${size}`

/** States how many cells both players need, if the mover needs more than its opponent. */
function explainLag(board: HexBoard): string | undefined {
  const mover = getMover(board)
  const rival = findRival(mover)
  const [own, others] = [countCellsNeeded(board, mover), countCellsNeeded(board, rival)]
  if (own <= others) return undefined
  return `${MARKS[mover]} needs ${own} more cells to join its sides, ${MARKS[rival]} only ${others}`
}

function explainWinner({ after: board, reward }: LastTurn<HexBoard, number>): string {
  const winner = findRival(getMover(board))
  const joined = `${MARKS[winner]} joined ${describeSides(winner, getBoardSize(board))}`
  return `${reward > 0 ? 'won' : 'lost'}: ${joined}`
}
