import { pcg64 } from '@affine/prng'
import { describe, expect, test } from 'vitest'
import { make } from '../src/index.ts'

const { spec } = make('hex@0.1.0')
const rules = spec.game as NonNullable<typeof spec.game>
type Board = readonly number[]
const openings = Array.from({ length: 100 }, (_, seed) => rules.initial(pcg64(seed)) as Board)
const cell = (row: number, column: number): number => 11 * row + column
const sizeOf = (board: Board): number => board.filter((mark) => mark !== 3).length ** 0.5
const count = (board: Board, mark: number): number => board.filter((each) => each === mark).length

/** Reports whether X connects the first row with the last, by recursion over touching cells. */
function hasJoined(board: Board): boolean {
  const seen = new Set<number>()
  const visit = (row: number, column: number): boolean => {
    const at = cell(row, column)
    if (row < 0 || column < 0 || column > 10 || board[at] !== 1 || seen.has(at)) return false
    seen.add(at)
    if (row === sizeOf(board) - 1) return true
    const steps = [-1, 0, 1]
    return steps.some((down) =>
      steps.some((right) => down !== right && visit(row + down, column + right)),
    )
  }
  return Array.from({ length: sizeOf(board) }, (_, column) => visit(0, column)).some(Boolean)
}

test('openings have three sizes and mirrored, opposing marks', () => {
  expect(new Set(openings.map(sizeOf))).toEqual(new Set([7, 9, 11]))
  for (const board of openings) {
    const size = sizeOf(board)
    expect([count(board, 1), count(board, 2)]).toEqual(Array(2).fill(Math.floor(size ** 2 / 8)))
    for (let row = 0; row < size; row++)
      for (let column = 0; column < size; column++)
        expect(board[cell(column, row)]).toBe([0, 2, 1][board[cell(row, column)] ?? 9])
    expect(hasJoined(board)).toBe(false)
  }
})

test('moves win only by connecting the mover’s sides, within `maxSteps` replies', () => {
  const random = pcg64(1)
  for (const opening of openings) {
    let board = opening
    let won = false
    let replies = 0
    while (!won) {
      const free = [...board.keys()].filter((at) => board[at] === 0)
      const mover = replies % 2 === 0 ? 1 : 2
      const moved = rules.step(board, free[random.integers(0, free.length)], random)
      if (moved === null) throw new Error('the rules reject a move on a free cell')
      board = moved.state as Board
      won = moved.terminated
      replies += 1
      // O's chains are X's chains on the mirrored board.
      const own = board.map((_, at) => board[mover === 1 ? at : cell(at % 11, Math.floor(at / 11))])
      expect(won).toBe(hasJoined(own.map((mark) => (mark === mover ? 1 : mark === 3 ? 3 : 0))))
    }
    expect(replies).toBeLessThanOrEqual(spec.maxSteps)
  }
})

describe('explanations', () => {
  const playMoves = (board: Board, cells: readonly number[]) => {
    const after = [...board]
    for (const [i, at] of cells.entries()) after[at] = 1 + (i % 2)
    return after
  }
  const clear = Array.from({ length: 121 }, (_, at) => (at % 11 < 7 && at < 77 ? 0 : 3))
  const markedOf = (board: Board): readonly string[] =>
    (spec.explain?.picture?.(board)?.shapes ?? []).flatMap(({ isMarked, says = '' }) =>
      isMarked === true ? [says] : [],
    )

  test('draw each cell with its mark or, if it is free, its action', () => {
    for (const board of openings.slice(0, 20)) {
      const { width = 0, height = 0, shapes = [] } = spec.explain?.picture?.(board) ?? {}
      const size = sizeOf(board)
      const free = shapes.flatMap(({ kind, action }) => (kind === 'empty' ? (action ?? []) : []))
      expect(free).toEqual([...board.keys()].filter((at) => board[at] === 0))
      const kinds = (kind: string) => shapes.filter((shape) => shape.kind === kind).length
      expect([kinds('first'), kinds('second')]).toEqual([count(board, 1), count(board, 2)])
      expect(kinds('label')).toBe(2 * size)
      for (const { kind, says } of shapes)
        if (says !== undefined)
          expect(board[spec.parse(says.split(' ')[0] ?? '') as number]).toBe(
            kind === 'first' ? 1 : 2,
          )
      const corners = shapes.flatMap((shape) => shape.corners)
      expect(Math.min(...corners)).toBeGreaterThanOrEqual(0)
      expect(Math.max(...corners.filter((_, i) => i % 2 === 0))).toBeLessThanOrEqual(width)
      expect(Math.max(...corners.filter((_, i) => i % 2 === 1))).toBeLessThanOrEqual(height)
    }
  })

  test('mark the shortest chain of a player that has connected its sides', () => {
    const down = [0, 1, 2, 3, 4, 5, 6].map((row) => cell(row, 3))
    const across = [0, 1, 2, 3, 4, 5].map((column) => cell(column, 0))
    const moves = down.flatMap((at, i) => [at, across[i] ?? []]).flat()
    expect(markedOf(playMoves(clear, moves.slice(0, -1)))).toEqual([])
    const state = playMoves(playMoves(clear, moves), [cell(2, 4)])
    expect([...markedOf(state)].sort()).toEqual([...'ABCDEFG'].map((row) => `${row}4 X`))
  })

  test('state why the scripted player, as the mover, would resign if the opponent needs fewer cells', () => {
    const cause = (cells: readonly number[]) => spec.explain?.whyGivenUp?.(playMoves(clear, cells))
    const isGivenUp = (cells: readonly number[]) => cause(cells) !== undefined
    const [middle, corner] = [cell(3, 3), cell(6, 6)]
    // If both players need equally many cells, the mover has the advantage and does not resign.
    expect([isGivenUp([]), isGivenUp([middle]), isGivenUp([corner, middle])]).toEqual([
      false,
      true,
      false,
    ])
    expect(isGivenUp([corner, middle, cell(6, 5)])).toBe(false)
    expect(cause([corner, middle, cell(6, 5), cell(2, 4)])).toBe(
      'X needs 6 more cells to join its sides, O only 5',
    )
  })
})
