import { make, register, solvedGame } from '@affine/envs'
import { describe, expect, it } from 'vitest'
import { courseOf, recordedCourse, turnText } from '../src/index.ts'

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

  it('is played to its end by a perfect player, without a mistake', () => {
    const { spec } = make('tictactoe@0.1.0')
    const replies: string[] = []
    let course = tictactoe(replies)
    while (course !== undefined && !course.isOver) {
      replies.push(spec.solve(course.turns.at(-1)?.prompt ?? ''))
      course = tictactoe(replies)
    }
    expect(course?.turns.map(({ mistake }) => mistake).filter(Boolean)).toEqual([])
    expect([course?.reward, course?.ending?.better]).toEqual([top, undefined])
  })

  it('marks the move that gives something away, and what was best', () => {
    const turn = tictactoe([CELLS[worse] ?? ''])?.turns[0]
    const away = ['a loss', 'a draw', 'a win'][top + 1]
    const right = best.map((cell) => CELLS[cell]).join(' or ')
    expect(turn).toMatchObject({ best, forfeit: undefined })
    expect(turn && turnText(turn, 0)).toBe(
      `reply 1, ${CELLS[worse]}, gave ${away} away: best was ${right}`,
    )
  })

  it('says that a move was not allowed, or no move', () => {
    const taken = CELLS[board.findIndex((mark) => mark !== 0)] ?? ''
    const illegal = tictactoe([taken])
    expect(illegal?.turns).toMatchObject([{ forfeit: 'illegal', action: CELLS.indexOf(taken) }])
    expect([illegal?.isOver, illegal?.reward]).toEqual([true, -1])
    expect(tictactoe(['well'])?.turns).toMatchObject([{ action: null, forfeit: 'unreadable' }])
  })

  it('leaves out what comes after the end', () => {
    expect(tictactoe(['well', 'A1', 'A2'])?.turns.length).toBe(1)
  })
})

describe('multiplication', () => {
  const product = make('mult8@0.1.0').spec.solve(mult8([])?.turns[0]?.prompt ?? '')

  it('says what was right, and what would have been', () => {
    const right = mult8([`I think\n${product}`])
    expect(right?.ending).toMatchObject({ why: `right: the product is ${product}`, shown: [] })
    const wrong = mult8([`${product.slice(0, -1)}${(Number(product.at(-1)) + 1) % 10}`])
    expect(wrong?.ending?.why).toBe(`wrong: the product is ${product}`)
    expect(wrong?.turns[0]?.best).toEqual([product])
  })
})

describe('an environment that explains nothing', () => {
  const { explain: _, ...plain } = make('mult8@0.1.0').spec
  register({ ...plain, id: 'plain@0.1.0', name: 'plain' })
  const played = (replies: readonly string[], fault?: string) =>
    courseOf({ env: 'plain@0.1.0', challengeId: ID, replies, fault })
  const best = plain.solve(played([])?.turns[0]?.prompt ?? '')

  it('has the best reply of its solver, and its reward', () => {
    expect(played([])?.turns[0]).toMatchObject({ best: [best], drawn: [] })
    expect(played([best])?.ending).toEqual({ why: 'reward 1', shown: [], better: undefined })
    expect(played([], 'no-reply')?.ending).toEqual({
      why: 'forfeited: there was no usable reply',
      shown: [],
      better: `the scripted player replies ${best}`,
    })
  })
})

describe('an environment whose best replies are not known', () => {
  const played = (env: string, reply: string) =>
    courseOf({ env, challengeId: ID, replies: [reply] })

  it('has those of the scripted player, and says what they earn', () => {
    const packed = played('pack@0.1.0', '0,0,99,99')?.turns[0]
    const { spec } = make('pack@0.1.0')
    const scripted = spec.solve(packed?.prompt ?? '')
    const earned = played('pack@0.1.0', scripted)?.reward
    expect(packed?.mistake).toBe(
      `0,0,99,99, earns 0: the scripted player earns ${earned}, with ${scripted}`,
    )
    expect(played('pack@0.1.0', scripted)?.turns[0]?.mistake).toBe(undefined)
    const forfeited = played('hex@0.1.0', 'no cell')
    const move = make('hex@0.1.0').spec.solve(forfeited?.turns[0]?.prompt ?? '')
    expect(forfeited?.ending?.better).toBe(`the scripted player replies ${move}`)
  })
})

it('a recorded episode that does not replay has no course', () => {
  const prompt = { role: 'user', content: mult8([])?.turns[0]?.prompt ?? '' } as const
  const challenge = { env: 'mult8@0.1.0', challengeId: ID }
  const silent = { messages: [prompt], reward: 0, fault: 'no-reply' as const }
  expect(recordedCourse(challenge, silent)?.isOver).toBe(true)
  expect(recordedCourse(challenge, { messages: [], reward: 0 })).toBe(undefined)
})

it('there is no course of what is not known here', () => {
  expect(courseOf({ env: 'go@1.0.0', challengeId: ID, replies: [] })).toBe(undefined)
  expect(courseOf({ env: 'mult8@0.1.0', challengeId: 'no id', replies: [] })).toBe(undefined)
})
