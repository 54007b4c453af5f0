import { make, solvedGame } from '@affine/envs'
import { describe, expect, it } from 'vitest'
import { courseOf } from '../src/worker/course.ts'

const ID = '3GV98duqAqRrTRH8p8yFQQutnEd4sTQmkNRV2Yr32YFb'
const CELLS = ['A1', 'A2', 'A3', 'B1', 'B2', 'B3', 'C1', 'C2', 'C3']
const tictactoe = (replies: readonly string[]) =>
  courseOf({ env: 'tictactoe@0.1.0', challengeId: ID, replies })
const mult8 = (replies: readonly string[]) =>
  courseOf({ env: 'mult8@0.1.0', challengeId: ID, replies })

describe('tic-tac-toe', () => {
  const start = tictactoe([])?.turns[0]
  const board = start?.observation as readonly number[]
  const { next, best } = solvedGame().positions.get(board.join('')) as ReturnType<
    typeof solvedGame
  >['starts'][number]
  const worth = (cell: number): number => Math.sign(next[cell]?.score ?? Number.NaN)
  const top = Math.max(...CELLS.map((_, cell) => worth(cell)).filter((each) => !Number.isNaN(each)))
  const worse = CELLS.findIndex((_, cell) => worth(cell) < top)

  it('is played to its end by who plays perfectly, without a mistake', () => {
    const { spec } = make('tictactoe@0.1.0')
    const replies: string[] = []
    let course = tictactoe(replies)
    while (course !== undefined && !course.isOver) {
      replies.push(spec.solve(course.turns.at(-1)?.prompt ?? ''))
      course = tictactoe(replies)
    }
    const advised = course?.turns.map(({ advice }) => advice?.kind === 'move' && advice.isMistake)
    expect(new Set(advised)).toEqual(new Set([false]))
    expect(course?.reward).toBe(top)
  })

  it('marks the move that gives something away, and what was best', () => {
    const turn = tictactoe([CELLS[worse] ?? ''])?.turns[0]
    expect(turn?.advice).toMatchObject({ kind: 'move', isMistake: true, worth: top, best })
    expect(turn?.isLegal).toBe(true)
  })

  it('says that a move was not allowed, or no move', () => {
    const taken = CELLS[board.findIndex((mark) => mark !== 0)] ?? ''
    const illegal = tictactoe([taken])
    expect(illegal?.turns).toMatchObject([{ isLegal: false, action: CELLS.indexOf(taken) }])
    expect([illegal?.isOver, illegal?.reward]).toEqual([true, -1])
    expect(tictactoe(['well'])?.turns).toMatchObject([{ action: null }])
  })

  it('leaves out what comes after the end', () => {
    expect(tictactoe(['well', 'A1', 'A2'])?.turns.length).toBe(1)
  })
})

describe('multiplication', () => {
  const product = make('mult8@0.1.0').spec.solve(mult8([])?.turns[0]?.prompt ?? '')

  it('marks no digit of the product', () => {
    const turn = mult8([`I think\n${product}`])?.turns[0]
    expect(turn?.advice).toMatchObject({ kind: 'product', product })
    if (turn?.advice?.kind !== 'product') throw new Error('no advice')
    expect(turn.advice.digits.every(({ isRight }) => isRight)).toBe(true)
  })

  it('marks the wrong digits by their place from the right', () => {
    const wrong = `${product.slice(0, -1)}${(Number(product.at(-1)) + 1) % 10}`
    const marked = (reply: string) => {
      const advice = mult8([reply])?.turns[0]?.advice
      if (advice?.kind !== 'product') throw new Error('no advice')
      return advice.digits.flatMap(({ isRight }, i) => (isRight ? [] : [i]))
    }
    expect(marked(wrong)).toEqual([wrong.length - 1])
    expect(marked(`0${product}`)).toEqual([0])
    expect(marked(product.slice(1))).toEqual([])
  })
})

it('there is no course of what is not known here', () => {
  expect(courseOf({ env: 'go@1.0.0', challengeId: ID, replies: [] })).toBe(undefined)
  expect(courseOf({ env: 'mult8@0.1.0', challengeId: 'no id', replies: [] })).toBe(undefined)
})
