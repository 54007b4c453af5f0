import { createBoard, type HexBoard, WIDEST } from '../src/hex-board.ts'
import { make } from '../src/index.ts'
import type { Draw, Program } from './draw.ts'
import { alphaBeta } from './hex-alpha-beta.ts'
import { treeSearch } from './hex-tree-search.ts'

/** Chooses the mover's cell. */
export type HexMove = (board: HexBoard, draw: Draw) => number

const { spec } = make('hex@0.1.0')

const anyFree: HexMove = (board, draw) => {
  const free = [...board.keys()].filter((cell) => board[cell] === 0)
  return free[draw(free.length)] ?? 0
}

/** The players by strength on the largest board, weakest first. */
export const HEX_PLAYERS: Readonly<Record<string, Program>> = {
  random: moving(anyFree),
  'tree 200': moving(treeSearch(200)),
  'tree 800': moving(treeSearch(800)),
  golden: (prompt) => spec.solve(prompt),
  'alpha-beta 2': moving(alphaBeta(2)),
  'tree 3200': moving(treeSearch(3200)),
  'alpha-beta 4': moving(alphaBeta(4)),
}

function moving(move: HexMove): Program {
  return (prompt, draw) => spec.format(move(readBoard(prompt), draw))
}

/** Returns the board of a prompt. */
function readBoard(prompt: string): HexBoard {
  const rows = prompt.match(/^[A-K]( [.XO])+$/gm) ?? []
  const board = createBoard(rows.length)
  for (const [row, line] of rows.entries())
    for (const [column, mark] of line.slice(2).split(' ').entries())
      board[row * WIDEST + column] = '.XO'.indexOf(mark)
  return board
}
