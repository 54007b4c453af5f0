import { make, solvedGame } from '@affine/envs'
import { describe, expect, it } from 'vitest'
import { formatMistake } from '../src/index.ts'
import { courseOf, solvedCourse } from './played.ts'

const ID = '3GV98duqAqRrTRH8p8yFQQutnEd4sTQmkNRV2Yr32YFb'
const CELLS = ['A1', 'A2', 'A3', 'B1', 'B2', 'B3', 'C1', 'C2', 'C3']
const tictactoe = (...replies: readonly string[]) => courseOf('tictactoe@0.1.0', ID, replies)

describe('a replay of tic-tac-toe', async () => {
  const start = (await tictactoe()).turns[0]
  const board = start?.observation as readonly number[]
  const { next, best } = solvedGame().positions.get(board.join('')) as ReturnType<
    typeof solvedGame
  >['starts'][number]
  const worth = (cell: number): number => Math.sign(next[cell]?.score ?? Number.NaN)
  const top = Math.max(...CELLS.map((_, cell) => worth(cell)).filter((each) => !Number.isNaN(each)))
  const worse = CELLS.findIndex((_, cell) => worth(cell) < top)

  it('marks the first mistake and the best move', async () => {
    const turn = (await tictactoe(CELLS[worse] ?? '')).turns[0]
    const away = ['a loss', 'a draw', 'a win'][top + 1]
    const right = best.map((cell) => CELLS[cell]).join(' or ')
    expect([turn?.best, turn?.forfeit]).toEqual([best, undefined])
    const text = turn && formatMistake(turn, 0)
    for (const part of [`1, ${CELLS[worse]},`, away, right]) expect(text).toContain(part)
  })
})

describe('an environment without known best replies', () => {
  it('names the replies of the scripted player and their rewards', async () => {
    const packed = (await courseOf('pack@0.1.0', ID, ['0,0,99,99'])).turns[0]
    const solved = await solvedCourse('pack@0.1.0', ID)
    expect(packed?.mistake).toMatch(new RegExp(` is worth ${solved?.reward}$`))
    expect(solved?.turns[0]?.mistake).toBe(undefined)
    const forfeited = await courseOf('hex@0.1.0', ID, ['no cell'])
    const move = make('hex@0.1.0').spec.solve(forfeited.turns[0]?.prompt ?? '')
    expect(forfeited.ending.better).toContain(move)
  })
})
