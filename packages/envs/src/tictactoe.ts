import type { Generator } from '@affine/prng'
import type { EnvSpec } from './definition.ts'
import { type LastTurn, type Picture, rectangle } from './explanation.ts'
import { Box, Discrete } from './spaces.ts'
import { defineEnv } from './spec.ts'
import { type Board, findLine, getMover, type Position, solvedGame, WON } from './tictactoe-game.ts'

const NAMES = ['A1', 'A2', 'A3', 'B1', 'B2', 'B3', 'C1', 'C2', 'C3']
const MARKS = '.XO'
const KINDS = ['empty', 'first', 'second'] as const
/** Length of a cell's side in the picture. */
const SIDE = 24

/**
 * Tic-tac-toe against a perfect opponent, from a position in which a mistake is possible. X moves
 * if the marks are equally many. Reward 1 for a win, 0 for a draw, -1 for a loss or a forfeit.
 *
 * One draw, `integers(0, 3191)`, selects the position. Each reply of the opponent is one
 * `integers(0, n)` among its n best cells in ascending order, which consumes no bits for n = 1, as
 * in NumPy. Protocol §3.3.
 */
export const tictactoe: EnvSpec = /* @__PURE__ */ defineEnv<Position, Board, number>({
  name: 'tictactoe',
  version: '0.1.0',
  // No episode starts from the empty board, so four moves of the agent always suffice.
  maxSteps: 4,
  replyMs: 10_000,
  lowestReward: -1,
  highestReward: 1,
  actionSpace: /* @__PURE__ */ Discrete(9),
  observationSpace: /* @__PURE__ */ Box({ low: 0, high: 2, length: 9 }),
  initial: (random) => pickFrom(solvedGame().starts, random),
  // The cells are the digits of a base-3 number, with A1 as the most significant digit.
  truth: ({ board, best }) => ({ board: Number.parseInt(board.join(''), 3), best }),
  difficulty: () => 3,
  observe: ({ board }) => board,
  step: (position, cell, random) => {
    const moved = position.next[cell]
    if (moved === undefined) return null
    if (isOver(moved)) return { state: moved, reward: isWon(moved) ? 1 : 0, terminated: true }
    const answered = moved.next[pickFrom(moved.best, random)] as Position
    return { state: answered, reward: isWon(answered) ? -1 : 0, terminated: isOver(answered) }
  },
  prompt: (board) => {
    const prompt = prompts.get(board) ?? writePrompt(board)
    if (Object.isFrozen(board)) prompts.set(board, prompt)
    return prompt
  },
  parse: (answer) => {
    const cell = NAMES.findIndex((name) => name === answer || name.toLowerCase() === answer)
    return cell === -1 ? null : cell
  },
  format: (cell) => NAMES[cell] ?? '',
  solve: (prompt) => {
    const rows = prompt.match(/^[ABC]( [.XO]){3}$/gm) ?? []
    const marks = rows.flatMap((row) => row.slice(2).split(' '))
    const cells = marks.map((mark) => MARKS.indexOf(mark)).join('')
    const best = solvedGame().positions.get(cells)?.best[0]
    if (best === undefined) throw new TypeError('"prompt" expected a prompt of tictactoe')
    return NAMES[best] ?? ''
  },
  guess: (_, random) => NAMES[random.integers(0, 9)] ?? '',
  explain: {
    title: 'tic-tac-toe',
    draw: drawBoard,
    picture: drawPicture,
    best: (board) => findPosition(board)?.best ?? [],
    worth: (board, cell) => Math.sign(findPosition(board)?.next[cell]?.score ?? -1),
    worthText: (worth) => ['a loss', 'a draw', 'a win'][worth + 1] ?? '',
    role: (board) => MARKS[getMover(board)] ?? '',
    ending: explainLine,
  },
})

/** Prompts of the solved game's boards, which are few, frozen and occur often. */
const prompts = /* @__PURE__ */ new WeakMap<Board, string>()

function writePrompt(board: Board): string {
  const [mine, theirs] = getMover(board) === 1 ? ['X', 'O'] : ['O', 'X']
  return (
    `Tic-tac-toe: you are ${mine}, the opponent is ${theirs}, ` +
    '"." is an empty cell, and it is your move.\n\n' +
    `${drawBoard(board).join('\n')}\n\n` +
    'You and the opponent put one mark in an empty cell in turn; ' +
    'three of one mark in a row, column or diagonal win.\n' +
    'A full board without that is a draw. The opponent plays perfectly. ' +
    'A reply that is not a legal move loses.\n' +
    'You may think first. Give your move as row and column, from A1 to C3, ' +
    'alone on the last line, with nothing after it.'
  )
}

const isOver = ({ best }: Position): boolean => best.length === 0

/** Reports whether the player that just moved has won. */
const isWon = ({ score }: Position): boolean => score === WON

function pickFrom<Item>(list: readonly Item[], random: Generator): Item {
  return list[random.integers(0, list.length)] as Item
}

function drawBoard(board: Board): readonly string[] {
  const [a, b, c, d, e, f, g, h, i] = board.map((mark) => MARKS[mark])
  return ['  1 2 3', `A ${a} ${b} ${c}`, `B ${d} ${e} ${f}`, `C ${g} ${h} ${i}`]
}

/** Returns a picture of a board, with the mover's mark in the cell that it chose. */
function drawPicture(board: Board, chosen?: number): Picture {
  const line = findLine(board) ?? []
  const textOf = (mark: number, cell: number): string => {
    if (mark === 0 && cell !== chosen) return ''
    return MARKS[mark || getMover(board)] ?? ''
  }
  const shapes = board.map((mark, cell) => ({
    kind: KINDS[mark] ?? 'empty',
    corners: rectangle((cell % 3) * SIDE, Math.floor(cell / 3) * SIDE, SIDE, SIDE),
    text: textOf(mark, cell),
    says: `${NAMES[cell]} ${mark === 0 ? 'empty' : MARKS[mark]}`,
    isMarked: line.includes(cell),
    action: cell,
  }))
  return { width: 3 * SIDE, height: 3 * SIDE, shapes }
}

const findPosition = (board: Board): Position | undefined =>
  solvedGame().positions.get(board.join(''))

function explainLine({ after: board, reward }: LastTurn<Board, number>): string {
  const line = findLine(board)
  if (line === undefined) return 'drawn: the board is full'
  const cells = line.map((cell) => NAMES[cell]).join(' ')
  return `${reward > 0 ? 'won by' : 'lost to'} the line ${cells}`
}
