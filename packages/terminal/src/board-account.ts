import { type Board, lineIn, registry, solvedGame } from '@affine/envs'
import type { Course, Ending, Turn } from './course.ts'

const MARKS = '.XO'
const WORTHS = ['a loss', 'a draw', 'a win']

/** How a game of tic-tac-toe ended. */
export function boardAccount({ turns, last, reward, forfeit }: Course): Ending {
  const board = (turns.at(-1)?.after ?? last) as Board
  const better = forfeit === undefined ? mistakeIn(turns) : `best was ${bestOn(last as Board)}`
  return { why: endOf(board, reward), shown: boardLines(board), better }
}

function endOf(board: Board, reward: number): string {
  const line = lineIn(board)?.map(nameOf).join(' ')
  if (line === undefined) return 'drawn: the board is full'
  return reward > 0 ? `won by the line ${line}` : `lost to the line ${line}`
}

/** A board as its prompt has it. */
function boardLines(board: Board): readonly string[] {
  const rows = ['A', 'B', 'C'].map((name, row) => {
    const marks = board.slice(3 * row, 3 * row + 3).map((mark) => MARKS[mark])
    return [name, ...marks].join(' ')
  })
  return ['  1 2 3', ...rows]
}

/** The first reply that gave something away; undefined if none did. */
function mistakeIn(turns: readonly Turn[]): string | undefined {
  for (const [i, { before, action }] of turns.entries()) {
    const position = solvedGame().positions.get((before as Board).join(''))
    const worthOf = (cell: number): number => Math.sign(position?.next[cell]?.score ?? 0)
    const worth = worthOf(position?.best[0] ?? -1)
    if (worthOf(Number(action)) === worth) continue
    const move = `reply ${i + 1}, ${nameOf(Number(action))}`
    return `${move}, gave ${WORTHS[worth + 1]} away: best was ${bestOn(before as Board)}`
  }
  return undefined
}

/** The best cells of a board, by name. */
function bestOn(board: Board): string {
  const best = solvedGame().positions.get(board.join(''))?.best ?? []
  return best.map(nameOf).join(' or ')
}

const nameOf = (cell: number): string => registry.get('tictactoe@0.1.0')?.format(cell) ?? ''
