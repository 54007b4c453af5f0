import {
  computeChainLengths,
  countCellsNeeded,
  getMover,
  type HexBoard,
  isConnected,
} from '../src/hex-board.ts'
import type { HexMove } from './hex-players.ts'

/** Number of moves that are searched, on the shortest chains. */
const BREADTH = 10
/** Value of a win, above any difference of two players' chain lengths. */
const WON = 10_000

/** Returns an alpha-beta player. A leaf's value is the difference of the chain lengths. */
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

/** Returns the value of a board for the opponent after a move, which is undone. */
function valueAfter(board: number[], cell: number, window: AlphaBetaWindow): number {
  board[cell] = getMover(board)
  const value = isConnected(board, cell) ? -WON - window.depth : worthOf(board, window)
  board[cell] = 0
  return value
}

function worthOf(board: number[], { depth, low, high }: AlphaBetaWindow): number {
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

/** Returns the empty cells with the shortest chains. */
function movesOn(board: HexBoard): readonly number[] {
  const lengths = computeChainLengths(board)
  const free = [...board.keys()].filter((cell) => board[cell] === 0)
  return free.sort((a, b) => (lengths[a] ?? 0) - (lengths[b] ?? 0)).slice(0, BREADTH)
}
