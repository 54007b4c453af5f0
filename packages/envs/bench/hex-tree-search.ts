import { getBoardSize, getMover, type HexBoard, NEIGHBOURS, WIDEST } from '../src/hex-board.ts'
import { type Draw, shuffle } from './draw.ts'
import type { HexMove } from './hex-players.ts'

/** How much moves that were seldom tried are preferred. */
const CURIOSITY = 0.7

/** A move, how often it was tried, and how often whoever made it won then. */
interface TreeNode {
  readonly cell: number
  visits: number
  wins: number
  /** What may follow, once it was tried twice. */
  next: readonly TreeNode[]
}

const NONE: readonly TreeNode[] = []

/** Monte Carlo tree search by UCT: random games from the board on, the most tried move. */
export function treeSearch(playouts: number): HexMove {
  return (board, draw) => {
    const root: TreeNode = { cell: -1, visits: 1, wins: 0, next: followers(board, draw) }
    for (let i = 0; i < playouts; i++) playOut(root, [...board], draw)
    return root.next.reduce((most, node) => (node.visits > most.visits ? node : most)).cell
  }
}

/** One game through the tree, then at random; every move on its way in the tree learns of it. */
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
  // The last on the path was made by the one whose turn it is not.
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
    const score = node.wins / node.visits + CURIOSITY * Math.sqrt(log / node.visits)
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

/** Fills the board in turns. One of the two has then joined its sides: X, or else O. */
function winnerAtRandom(board: number[], first: 1 | 2, draw: Draw): 1 | 2 {
  let mark = first
  for (const cell of shuffle(emptyOn(board), draw)) {
    board[cell] = mark
    mark = mark === 1 ? 2 : 1
  }
  return hasJoined(board) ? 1 : 2
}

/** Does a chain of X lead from the first row to the last? Takes its cells off the board. */
function hasJoined(board: number[]): boolean {
  const size = getBoardSize(board)
  const lastRow = (size - 1) * WIDEST
  const reached: number[] = []
  const reach = (cell: number): void => {
    if (board[cell] !== 1) return
    board[cell] = 0
    reached.push(cell)
  }
  for (let column = 0; column < size; column++) reach(column)
  // A list that grows goes on with what was added.
  for (const cell of reached) {
    if (cell >= lastRow) return true
    for (const touched of NEIGHBOURS[cell] ?? []) reach(touched)
  }
  return false
}
