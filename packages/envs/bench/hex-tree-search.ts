import { getBoardSize, getMover, type HexBoard, NEIGHBOURS, WIDEST } from '../src/hex-board.ts'
import { type Draw, shuffle } from './draw.ts'
import type { HexMove } from './hex-players.ts'

/** Weight of the term that favours moves with few visits. */
const EXPLORATION = 0.7

/** A move, its number of visits, and the wins of the player that made it. */
interface TreeNode {
  readonly cell: number
  visits: number
  wins: number
  /** The next moves, empty before the second visit. */
  next: readonly TreeNode[]
}

const NONE: readonly TreeNode[] = []

/** Returns a player that makes the most visited move of a Monte Carlo tree search (UCT). */
export function treeSearch(playouts: number): HexMove {
  return (board, draw) => {
    const root: TreeNode = { cell: -1, visits: 1, wins: 0, next: followers(board, draw) }
    for (let i = 0; i < playouts; i++) playOut(root, [...board], draw)
    return root.next.reduce((most, node) => (node.visits > most.visits ? node : most)).cell
  }
}

/** Plays one game through the tree and then at random. Updates the moves on its path. */
function playOut(root: TreeNode, board: number[], draw: Draw): void {
  const path = [root]
  let node = root
  let mover = getMover(board)
  while (node.next.length > 0) {
    node = likeliest(node)
    path.push(node)
    board[node.cell] = mover
    mover = mover === 1 ? 2 : 1
    if (node.visits === 1) node.next = followers(board, draw)
  }
  const winner = winnerAtRandom(board, mover, draw)
  // The last move on the path is by the opponent of the mover.
  for (const each of path.reverse()) {
    mover = mover === 1 ? 2 : 1
    each.visits += 1
    if (mover === winner) each.wins += 1
  }
}

function likeliest({ visits, next }: TreeNode): TreeNode {
  const log = Math.log(visits)
  let best = next[0] as TreeNode
  let most = Number.NEGATIVE_INFINITY
  for (const node of next) {
    if (node.visits === 0) return node
    const score = node.wins / node.visits + EXPLORATION * Math.sqrt(log / node.visits)
    if (score <= most) continue
    best = node
    most = score
  }
  return best
}

const followers = (board: HexBoard, draw: Draw): readonly TreeNode[] =>
  shuffle(emptyOn(board), draw).map((cell) => ({ cell, visits: 0, wins: 0, next: NONE }))

function emptyOn(board: HexBoard): number[] {
  const free: number[] = []
  for (let cell = 0; cell < board.length; cell++) if (board[cell] === 0) free.push(cell)
  return free
}

/** Fills the board at random. Returns the winner, X or O. */
function winnerAtRandom(board: number[], first: 1 | 2, draw: Draw): 1 | 2 {
  let mark = first
  for (const cell of shuffle(emptyOn(board), draw)) {
    board[cell] = mark
    mark = mark === 1 ? 2 : 1
  }
  return isXConnected(board) ? 1 : 2
}

/** Reports whether a chain of X connects the first row with the last. Clears visited cells. */
function isXConnected(board: number[]): boolean {
  const size = getBoardSize(board)
  const lastRow = (size - 1) * WIDEST
  const reached: number[] = []
  const reach = (cell: number): void => {
    if (board[cell] !== 1) return
    board[cell] = 0
    reached.push(cell)
  }
  for (let column = 0; column < size; column++) reach(column)
  // A loop over a list also visits the items that are added during the loop.
  for (const cell of reached) {
    if (cell >= lastRow) return true
    for (const touched of NEIGHBOURS[cell] ?? []) reach(touched)
  }
  return false
}
