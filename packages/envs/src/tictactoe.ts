import type { EnvSpec } from './env.ts'
import { Box, Discrete } from './spaces.ts'
import { defineEnv } from './spec.ts'

/** Cells in the order A1, A2, … C3: 0 empty, 1 X, 2 O. */
type Board = readonly number[]

/**
 * A position of the solved game. `score` is for whoever just moved: WON for the winning move, else
 * above 0 for a win ahead, sooner is more. `next` is what each cell leads to, undefined if it
 * cannot be taken. `best` are the mover's best cells in ascending order: best value, then fastest
 * win or slowest loss. Where there is none, the game is over.
 */
type Position = {
  board: Board
  score: number
  next: readonly (Position | undefined)[]
  best: readonly number[]
}

const NAMES = ['A1', 'A2', 'A3', 'B1', 'B2', 'B3', 'C1', 'C2', 'C3']
const LINES = ['012', '345', '678', '036', '147', '258', '048', '246']
const WON = 10

/**
 * Tic-tac-toe against a perfect opponent, from a position in which a mistake is possible. X moves
 * when the marks are equally many. Reward 1 for a win, 0 for a draw, -1 for a loss or a forfeit.
 *
 * One draw, `integers(0, 3191)`, picks the position; each reply of the opponent is one `integers(0,
 * n)` among its n best cells in ascending order (which, as in NumPy, takes nothing from the stream
 * for n = 1).
 */
export const tictactoe: EnvSpec = /* @__PURE__ */ defineEnv<Position, Board, number>({
  name: 'tictactoe',
  version: '0.1.0',
  difficulty: 3,
  // No position is the empty board, so four moves of the agent always suffice.
  maxSteps: 4,
  replyMs: 10_000,
  lowestReward: -1,
  actionSpace: /* @__PURE__ */ Discrete(9),
  observationSpace: /* @__PURE__ */ Box({ low: 0, high: 2, length: 9 }),
  initial: (random) => game().starts[random.integers(0, game().starts.length)] as Position,
  // The cells read as a base-3 number, A1 the most significant digit.
  truth: ({ board, best }) => ({ board: Number.parseInt(board.join(''), 3), best }),
  observe: ({ board }) => board,
  step: (position, cell, random) => {
    const moved = position.next[cell]
    if (moved === undefined) return null
    // To draw one of one takes nothing from the stream; so does a game that is over.
    const reply = moved.best[random.integers(0, Math.max(1, moved.best.length))]
    const state = moved.next[reply ?? -1] ?? moved
    const reward = state.score !== WON ? 0 : state === moved ? 1 : -1
    return { state, reward, terminated: state.best.length === 0 }
  },
  prompt: (board) => {
    const [mine, theirs] = moverOf(board) === 1 ? 'XO' : 'OX'
    const [a, b, c, d, e, f, g, h, i] = board.map((mark) => '.XO'[mark])
    return (
      `Tic-tac-toe: you are ${mine}, the opponent is ${theirs}, "." is an empty cell, and it is your move.\n\n` +
      `  1 2 3\nA ${a} ${b} ${c}\nB ${d} ${e} ${f}\nC ${g} ${h} ${i}\n\n` +
      'You and the opponent put one mark in an empty cell in turn; three of one mark in a row, column or diagonal win.\n' +
      'A full board without that is a draw. The opponent plays perfectly. A reply that is not a legal move loses.\n' +
      'You may think first. Give your move as row and column, from A1 to C3, alone on the last line, with nothing after it.'
    )
  },
  parse: (line) => (NAMES.includes(line) ? NAMES.indexOf(line) : null),
  format: (cell) => NAMES[cell] ?? '',
  solve: (prompt) => {
    const marks =
      prompt.match(/^[ABC]( [.XO]){3}$/gm)?.flatMap((row) => row.slice(2).split(' ')) ?? []
    const cells = marks.map((mark) => '.XO'.indexOf(mark)).join('')
    const [best] = game().positions.get(cells)?.best ?? []
    if (best === undefined) throw new TypeError('"prompt" expected one of tictactoe')
    return NAMES[best] ?? ''
  },
})

let solved: ReturnType<typeof solveGame> | undefined

/** The solved game, worked out at its first use. */
const game = () => (solved ??= solveGame())

/**
 * Negamax over the 5478 positions that play can reach, by their cells as digits, and those that
 * episodes start from.
 */
function solveGame(): { positions: ReadonlyMap<string, Position>; starts: readonly Position[] } {
  const positions = new Map<string, Position>()
  const starts: string[] = []
  const visit = (cells: string): Position => {
    const known = positions.get(cells)
    if (known !== undefined) return known
    const board = Object.freeze([...cells].map(Number))
    const mover = moverOf(board)
    const won = LINES.some((line) => [...line].every((cell) => board[Number(cell)] === 3 - mover))
    const put = (cell: number): string => cells.slice(0, cell) + mover + cells.slice(cell + 1)
    const next = board.map((taken, cell) => (won || taken ? undefined : visit(put(cell))))
    const scores = next.flatMap((after) => after?.score ?? [])
    const top = Math.max(...scores)
    const best = [...next.keys()].filter((cell) => next[cell]?.score === top)
    // The mover's best, negated, one nearer to 0: what comes later weighs less.
    const score = won ? WON : best.length > 0 ? Math.sign(top) - top : 0
    const position = { board, score, next, best }
    positions.set(cells, position)
    // A start: some move gives away a win or a draw. So it is not lost: then there is nothing to
    // give away.
    if (scores.some((each) => Math.sign(each) < Math.sign(top))) starts.push(cells)
    return position
  }
  visit('000000000')
  // As texts of digits they sort like the numbers.
  return { positions, starts: starts.sort().map(visit) }
}

/** X when the marks are equally many. One X and one O add up to 3, so the sum tells. */
function moverOf(board: Board): 1 | 2 {
  return board.reduce((sum, mark) => sum + mark, 0) % 3 === 0 ? 1 : 2
}
