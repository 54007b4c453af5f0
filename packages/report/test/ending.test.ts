import { make, play, type Transcript } from '@affine/envs'
import { describe, expect, it } from 'vitest'
import { findLine } from '../../envs/src/tictactoe-game.ts'
import { idOf } from '../../envs/test/ids.ts'
import { describeSoloEnding, formatEnding } from '../src/index.ts'

/** Plays the challenge of an index and returns its ending. */
async function played(env: string, index: number, reply: (prompt: string) => string | null) {
  const id = idOf(env, index)
  const episode: Transcript = await play(make(env), id, (messages) => {
    const content = reply(messages.at(-1)?.content ?? '')
    return content === null ? { fault: 'no-reply' } : { content }
  })
  const ending = describeSoloEnding({ env, challengeId: id }, episode)
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
const solve = (env: string) => (prompt: string) => make(env).spec.solve(prompt)

describe('the ending of a game of tic-tac-toe', () => {
  it('names the winning line, if any, and shows the last board', async () => {
    const seen = new Set<string>()
    for (let index = 0; index < 60; index++) {
      const { episode, ending } = await played(TICTACTOE, index, (prompt) =>
        firstCell(prompt, (mark) => mark === '.'),
      )
      const [, ...rows] = ending.shown
      const board = rows.flatMap((row) =>
        row
          .slice(2)
          .split(' ')
          .map((mark) => '.XO'.indexOf(mark)),
      )
      const names = findLine(board)
        ?.map((cell) => make(TICTACTOE).spec.format(cell))
        .join(' ')
      const [how = '', ...words] = ending.why.split(' ')
      expect(how).toBe({ 1: 'won', 0: 'drawn:' }[episode.reward] ?? 'lost')
      expect(how === 'drawn:' ? undefined : words.slice(3).join(' ')).toBe(names)
      expect(board.includes(0) && names === undefined).toBe(false)
      seen.add(how)
    }
    expect([...seen].sort()).toEqual(['drawn:', 'lost', 'won'])
  })

  it('quotes an illegal or unreadable reply, and names the best reply', async () => {
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
