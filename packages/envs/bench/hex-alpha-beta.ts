import {
  computeChainLengths,
  countCellsNeeded,
  getMover,
  type HexBoard,
  isConnected,
} from '../src/hex-board.ts'
import type { HexMove } from './hex-players.ts'

/** Number of moves that are searched in each position. */
const BREADTH = 10
/** Value of a win. It exceeds the value of any leaf. */
const WON = 10_000

/**
 * Returns a player by alpha-beta search. The value of a leaf is the number of cells that the
 * opponent still needs, minus the number that the mover needs.
 */
export function alphaBeta(depth: number): HexMove {
  return (board) => {
    const moves = movesOn(board)
    let best = moves[0] ?? 0
    let most = -WON * 2
    for (const cell of moves) {
      const value = -valueAfter([...board], cell, { depth: depth - 1, low: -WON * 2, high: -most })
      if (value <= most) continue
      best = cell
      most = value
    }
    return best
  }
}

interface AlphaBetaWindow {
  readonly depth: number
  readonly low: number
  readonly high: number
}

/** Returns the value, for the opponent, of the board after a move. Undoes the move. */
function valueAfter(board: number[], cell: number, window: AlphaBetaWindow): number {
  board[cell] = getMover(board)
  const value = isConnected(board, cell) ? -WON - window.depth : search(board, window)
  board[cell] = 0
  return value
}

function search(board: number[], { depth, low, high }: AlphaBetaWindow): number {
  if (depth === 0) {
    const mover = getMover(board)
    return countCellsNeeded(board, mover === 1 ? 2 : 1) - countCellsNeeded(board, mover)
  }
  let most = low
  for (const cell of movesOn(board)) {
    const value = -valueAfter(board, cell, { depth: depth - 1, low: -high, high: -most })
    most = Math.max(most, value)
    if (most >= high) break
  }
  return most
}

/** Returns at most `BREADTH` empty cells: the cells on the shortest chains, shortest first. */
function movesOn(board: HexBoard): readonly number[] {
  const lengths = computeChainLengths(board)
  const free = [...board.keys()].filter((cell) => board[cell] === 0)
  return free.sort((a, b) => (lengths[a] ?? 0) - (lengths[b] ?? 0)).slice(0, BREADTH)
}
