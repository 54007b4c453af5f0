import { make, solvedGame } from '@affine/envs'
import { describe, expect, it } from 'vitest'
import { findLine } from '../../envs/src/tictactoe-game.ts'
import { idOf } from '../../envs/test/ids.ts'
import { formatEnding, formatMistake } from '../src/index.ts'
import { courseOf, solve } from './played.ts'

/** Plays the challenge of an index and returns its ending. */
async function played(env: string, index: number, reply: (prompt: string) => string | null) {
  const { episode, ending } = await courseOf(env, idOf(env, index), reply)
  return { episode, ending, text: formatEnding(ending).join('\n') }
}

const TICTACTOE = 'tictactoe@0.1.0'
const MULT8 = 'mult8@0.1.0'
const rowsOf = (prompt: string): string[] => prompt.match(/^[ABC]( [.XO]){3}$/gm) ?? []
/** Returns the first cell of a prompt's board with a wanted mark. */
const firstCell = (prompt: string, isWanted: (mark: string) => boolean): string => {
  const cells = rowsOf(prompt).flatMap(([row = '', ...marks]) =>
    marks.filter((mark) => mark !== ' ').map((mark, i) => ({ name: `${row}${i + 1}`, mark })),
  )
  return cells.find(({ mark }) => isWanted(mark))?.name ?? ''
}

describe('the ending of a game of tic-tac-toe', () => {
  it('names the winning line, if any, and shows the last board', async () => {
    const seen = new Set<string>()
    for (let index = 0; index < 60; index++) {
      const { episode, ending } = await played(TICTACTOE, index, (prompt) =>
        firstCell(prompt, (mark) => mark === '.'),
      )
      const marks = ending.shown.slice(1).flatMap((row) => row.slice(2).split(' '))
      const board = marks.map((mark) => '.XO'.indexOf(mark))
      const names = findLine(board)?.map(make(TICTACTOE).spec.format).join(' ')
      const [how = '', ...words] = ending.why.split(' ')
      expect(how).toBe({ 1: 'won', 0: 'drawn:' }[episode.reward] ?? 'lost')
      expect(how === 'drawn:' ? undefined : words.slice(3).join(' ')).toBe(names)
      expect(board.includes(0) && names === undefined).toBe(false)
      seen.add(how)
    }
    expect([...seen].sort()).toEqual(['drawn:', 'lost', 'won'])
  })

  it('quotes an illegal reply, and names the best reply, also for an unreadable reply', async () => {
    const taken = await played(TICTACTOE, 3, (prompt) => firstCell(prompt, (mark) => mark !== '.'))
    const [prompt, reply] = taken.episode.messages
    expect(taken.text).toMatch(/^forfeited: "[ABC][123]" is not allowed here\n {4}1 2 3\n/)
    expect(taken.text).toContain(`"${reply?.content}"`)
    expect(taken.ending.shown.slice(1)).toEqual(rowsOf(prompt?.content ?? ''))
    expect(taken.text).toContain(`best was ${solve(TICTACTOE)(prompt?.content ?? '')}`)
    const dotted = await played(TICTACTOE, 3, () => 'I take\nB2.\u202e')
    expect(dotted.ending.better).toBe(taken.ending.better)
  })
})

it('formats each kind of ending', async () => {
  const { episode } = await played(MULT8, 1, solve(MULT8))
  const product = episode.messages[1]?.content ?? ''
  const digit = product[3] === '0' ? '1' : '0'
  const replies: readonly (readonly [name: string, env: string, reply: string | null])[] = [
    ['the product', MULT8, product],
    ['a wrong digit', MULT8, `${product.slice(0, 3)}${digit}${product.slice(4)}`],
    ['a digit less', MULT8, product.slice(0, -1)],
    ['none', MULT8, null],
    ['5000 bytes', MULT8, 'x'.repeat(5000)],
    ['more than the answer', MULT8, `about ${product}`],
    ['a full stop', TICTACTOE, 'I take\nB2.\u202e'],
    ['an empty one', TICTACTOE, ' \n'],
    ['no cell', 'hex@0.1.0', 'no cell'],
  ]
  const texts: string[] = []
  for (const [name, env, reply] of replies)
    texts.push(`${env}, ${name}\n${(await played(env, 1, () => reply)).text}\n`)
  await expect(texts.join('\n')).toMatchFileSnapshot('snapshots/endings.txt')
})

const ID = '3GV98duqAqRrTRH8p8yFQQutnEd4sTQmkNRV2Yr32YFb'
const CELLS = ['A1', 'A2', 'A3', 'B1', 'B2', 'B3', 'C1', 'C2', 'C3']

it('describes a mistake in tic-tac-toe by the move, the lost result and the best moves', async () => {
  const [start] = (await courseOf(TICTACTOE, ID, () => null)).turns
  const board = start?.observation as readonly number[]
  const { next = [], best = [] } = solvedGame().positions.get(board.join('')) ?? {}
  const worth = (cell: number): number => Math.sign(next[cell]?.score ?? Number.NaN)
  const top = Math.max(...CELLS.map((_, cell) => worth(cell)).filter((each) => !Number.isNaN(each)))
  const worse = CELLS.find((_, cell) => worth(cell) < top) ?? ''
  const [turn] = (await courseOf(TICTACTOE, ID, () => worse)).turns
  const away = ['a loss', 'a draw', 'a win'][top + 1]
  const right = best.map((cell) => CELLS[cell]).join(' or ')
  expect([turn?.best, turn?.forfeit]).toEqual([best, undefined])
  const text = turn && formatMistake(turn, 0)
  for (const part of [`1, ${worse},`, away, right]) expect(text).toContain(part)
})

it('names the scripted player’s reply or its worth if the best replies are unknown', async () => {
  const packed = await courseOf('pack@0.1.0', ID, () => '0,0,99,99')
  const solved = await courseOf('pack@0.1.0', ID, solve('pack@0.1.0'))
  expect(packed.turns[0]?.mistake).toMatch(new RegExp(` is worth ${solved.reward}$`))
  expect(solved.turns[0]?.mistake).toBe(undefined)
  const { turns, ending } = await courseOf('hex@0.1.0', ID, () => 'no cell')
  expect(ending.better).toContain(solve('hex@0.1.0')(turns[0]?.prompt ?? ''))
})
