import { defineEnv, type EnvSpec } from './definition.ts'
import { Box, Discrete } from './spaces.ts'
import { lastLine } from './text.ts'

/** Cells in the order A1, A2, … C3: 0 empty, 1 X, 2 O. */
type Board = readonly number[]

/** A cell's weight in a board's code: the nine cells read as a base-3 number, A1 the most significant digit. */
const WEIGHTS = [6561, 2187, 729, 243, 81, 27, 9, 3, 1] as const
const NAMES = ['A1', 'A2', 'A3', 'B1', 'B2', 'B3', 'C1', 'C2', 'C3']
const LINES = ['012', '345', '678', '036', '147', '258', '048', '246']
const LOST = -10

/**
 * Tic-tac-toe against a perfect opponent, from a position in which a mistake is possible. X moves when the marks are
 * equally many. Reward 1 for a win, 0 for a draw, -1 for a loss or a forfeit.
 *
 * The state is the board's code. One draw, `integers(0, 3191)`, picks the position; each reply of the opponent is one
 * `integers(0, n)` among its n best cells in ascending order (which, as in NumPy, takes nothing from the stream for n = 1).
 */
export const tictactoe: EnvSpec = /* @__PURE__ */ defineEnv<number, Board, number>({
  name: 'tictactoe',
  version: '0.1.0',
  difficulty: 3,
  // No position is the empty board, so four moves of the agent always suffice.
  maxSteps: 4,
  replyMs: 10_000,
  lowestReward: -1,
  actionSpace: /* @__PURE__ */ Discrete(9),
  observationSpace: /* @__PURE__ */ Box({ low: 0, high: 2, length: 9 }),
  initial: (random) => at(game().positions, random.integers(0, game().positions.length)),
  truth: (code) => ({ board: code, best: at(game().best, code) }),
  observe: boardOf,
  step: (code, cell, random) => {
    const board = boardOf(code)
    if (board[cell] !== 0) return null
    const mark = moverOf(board)
    const { scores, best } = game()
    const moved = code + mark * at(WEIGHTS, cell)
    const replies = at(best, moved)
    if (replies.length === 0) return { state: moved, reward: at(scores, moved) === LOST ? 1 : 0, terminated: true }
    const reply = at(replies, random.integers(0, replies.length))
    const state = moved + (3 - mark) * at(WEIGHTS, reply)
    return { state, reward: at(scores, state) === LOST ? -1 : 0, terminated: at(best, state).length === 0 }
  },
  prompt: (board) => {
    const [mine, theirs] = moverOf(board) === 1 ? 'XO' : 'OX'
    const [A, B, C] = [0, 3, 6].map((first) => [0, 1, 2].map((column) => '.XO'[at(board, first + column)]).join(' '))
    return (
      `Tic-tac-toe: you are ${mine}, the opponent is ${theirs}, "." is an empty cell, and it is your move.\n\n` +
      `  1 2 3\nA ${A}\nB ${B}\nC ${C}\n\n` +
      'You and the opponent put one mark in an empty cell in turn; three of one mark in a row, column or diagonal win.\n' +
      'A full board without that is a draw. The opponent plays perfectly. A reply that is not a legal move loses.\n' +
      'You may think first. Give your move as row and column, from A1 to C3, alone on the last line, with nothing after it.'
    )
  },
  parse: (reply) => (NAMES.includes(lastLine(reply)) ? NAMES.indexOf(lastLine(reply)) : null),
  format: (cell) => at(NAMES, cell),
  solve: (prompt) => {
    const rows = prompt.match(/^[ABC]( [.XO]){3}$/gm) ?? []
    if (rows.length !== 3) throw new TypeError('"prompt" expected one of tictactoe')
    const marks = rows.flatMap((row) => row.slice(2).split(' '))
    const code = marks.reduce((sum, mark) => sum * 3 + '.XO'.indexOf(mark), 0)
    return at(NAMES, at(at(game().best, code), 0))
  },
})

let memo: ReturnType<typeof solveGame> | undefined

/** The solved game, worked out at its first use. */
function game(): ReturnType<typeof solveGame> {
  memo ??= solveGame()
  return memo
}

/** Negamax over the 5478 boards that play can reach; the others stay holes. */
function solveGame(): { scores: Int8Array; best: number[][]; positions: number[] } {
  // By code, from the view of the mover: LOST when it has just lost, else above 0 for a win, sooner is more.
  const scores = new Int8Array(19_683)
  // By code, the mover's best cells in ascending order: best value, then fastest win or slowest loss. None: the end.
  const best: number[][] = Array(19_683)
  // The codes an episode may start from.
  const positions: number[] = []
  const visit = (code: number): number => {
    if (best[code] !== undefined) return at(scores, code)
    const board = boardOf(code)
    const mark = moverOf(board)
    const lost = LINES.some((line) => [...line].every((cell) => board[Number(cell)] === 3 - mark))
    const cells = [...board.keys()].filter((cell) => !lost && board[cell] === 0)
    // The opponent's score, negated, one nearer to 0: what comes later weighs less.
    const values = cells.map((cell) => visit(code + mark * at(WEIGHTS, cell))).map((score) => Math.sign(score) - score)
    const score = values.length > 0 ? Math.max(...values) : lost ? LOST : 0
    scores[code] = score
    best[code] = cells.filter((_, index) => values[index] === score)
    // A start: some move gives away a win or a draw. So it is not lost: then there is nothing to give away.
    if (values.some((value) => Math.sign(value) < Math.sign(score))) positions.push(code)
    return score
  }
  visit(0)
  return { scores, best, positions: positions.sort((a, b) => a - b) }
}

function boardOf(code: number): Board {
  return WEIGHTS.map((weight) => Math.floor(code / weight) % 3)
}

/** X when the marks are equally many. One X and one O add up to 3, so the sum tells. */
function moverOf(board: Board): 1 | 2 {
  return board.reduce((sum, mark) => sum + mark, 0) % 3 === 0 ? 1 : 2
}

/** The item at an index that this file's own arithmetic keeps in range. */
function at<T>(items: { readonly [index: number]: T }, index: number): T {
  const item = items[index]
  if (item === undefined) throw new RangeError(`"index" expected a place on the list, got ${index}`)
  return item
}
