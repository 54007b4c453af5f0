import { make, play, solvedGame, type Transcript } from '@affine/envs'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { lineIn } from '../../envs/src/tictactoe-game.ts'
import { idOf } from '../../envs/test/ids.ts'
import { endingOf, endingTexts } from '../src/index.ts'

/** An episode of the challenge of an index, and how it ended. */
async function played(env: string, index: number, reply: (prompt: string) => string | null) {
  const id = idOf(env, index)
  const episode: Transcript = await play(make(env), id, (messages) => {
    const content = reply(messages.at(-1)?.content ?? '')
    return content === null ? { fault: 'no-reply' } : { content }
  })
  const ending = endingOf({ env, challengeId: id }, episode)
  return { episode, ending, text: endingTexts(ending).join('\n') }
}

const TICTACTOE = 'tictactoe@0.1.0'
const MULT8 = 'mult8@0.1.0'
const rowsOf = (prompt: string): string[] => prompt.match(/^[ABC]( [.XO]){3}$/gm) ?? []
/** The first cell of a prompt's board that is empty, or that is not. */
const firstCell = (prompt: string, isWanted: (mark: string) => boolean): string => {
  const cells = rowsOf(prompt).flatMap(([row = '', ...marks]) =>
    marks.filter((mark) => mark !== ' ').map((mark, i) => ({ name: `${row}${i + 1}`, mark })),
  )
  return cells.find(({ mark }) => isWanted(mark))?.name ?? ''
}
const solve = (env: string) => (prompt: string) => make(env).spec.solve(prompt)

describe('how a game of tic-tac-toe ended', () => {
  it('names the winning line, or says that there is none, and shows the last board', async () => {
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
      const names = lineIn(board)
        ?.map((cell) => make(TICTACTOE).spec.format(cell))
        .join(' ')
      const words = { '1': `won by the line ${names}`, '0': 'drawn: the board is full' }
      const lost = `lost to the line ${names}`
      expect(ending.why).toBe(words[`${episode.reward}` as keyof typeof words] ?? lost)
      expect(board.includes(0) && names === undefined).toBe(false)
      seen.add(ending.why.split(' ')[0] ?? '')
    }
    expect([...seen].sort()).toEqual(['drawn:', 'lost', 'won'])
  })

  it('names the first reply that gave something away, and none of a perfect player', async () => {
    let mistakes = 0
    for (let index = 0; index < 60; index++) {
      const perfect = await played(TICTACTOE, index, solve(TICTACTOE))
      expect(perfect.ending.better).toBeUndefined()
      const first = (prompt: string) => firstCell(prompt, (mark) => mark === '.')
      const { episode, ending } = await played(TICTACTOE, index, first)
      const { better = '' } = ending
      expect(better === '').toBe(episode.reward === perfect.episode.reward)
      if (better === '') continue
      mistakes += 1
      const [, nth = '', cell, worth, best = ''] =
        /^reply (\d), (..), gave a (draw|win) away: best was (.+)$/.exec(better) ?? []
      const prompt = episode.messages[2 * Number(nth) - 2]?.content ?? ''
      expect(episode.messages[2 * Number(nth) - 1]?.content).toBe(cell)
      expect(best.split(' or ')).toContain(solve(TICTACTOE)(prompt))
      const cells = rowsOf(prompt).flatMap((row) => row.slice(2).split(' '))
      const position = solvedGame().positions.get(cells.map((each) => '.XO'.indexOf(each)).join(''))
      const next = position?.next[position.best[0] ?? -1]
      expect(Math.sign(next?.score ?? 0)).toBe(worth === 'win' ? 1 : 0)
    }
    expect(mistakes).toBeGreaterThan(10)
  })

  it('quotes what was illegal or no answer, shows the board, and says what was best', async () => {
    const taken = await played(TICTACTOE, 3, (prompt) => firstCell(prompt, (mark) => mark !== '.'))
    const [asked, reply] = taken.episode.messages
    expect(taken.text).toMatch(/^forfeited: "[ABC][123]" is not allowed there\n {4}1 2 3\n/)
    expect(taken.text).toContain(`"${reply?.content}"`)
    expect(taken.ending.shown.slice(1)).toEqual(rowsOf(asked?.content ?? ''))
    expect(taken.text).toContain(`best was ${solve(TICTACTOE)(asked?.content ?? '')}`)
    const dotted = await played(TICTACTOE, 3, () => 'I take\nB2.\u202e')
    expect(dotted.ending.why).toBe('forfeited: the last line, "B2.\ufffd", is no answer')
    expect(dotted.ending.better).toBe(taken.ending.better)
    const ended = await played(TICTACTOE, 3, () => ' \n')
    expect(ended.ending.why).toBe('forfeited: the reply is empty, and it must end with the answer')
  })
})

describe('how a multiplication ended', () => {
  it('has the product, and marks the digits that are wrong', async () => {
    const right = await played(MULT8, 1, solve(MULT8))
    const product = right.episode.messages[1]?.content ?? ''
    expect(right.text).toBe(`right: the product is ${product}`)
    const digit = product[3] === '0' ? '1' : '0'
    const wrong = `${product.slice(0, 3)}${digit}${product.slice(4)}`
    const { text } = await played(MULT8, 1, () => wrong)
    const lines = [`  product ${product}`, `  reply   ${wrong}`, `             ^`]
    expect(text).toBe([`wrong: the product is ${product}`, ...lines].join('\n'))
    const short = await played(MULT8, 1, () => product.slice(0, 15))
    expect(short.ending.shown).toHaveLength(product.length === 16 ? 3 : 0)
  })

  it('says what was forfeited, and what was right', async () => {
    const product = (await played(MULT8, 1, solve(MULT8))).episode.messages[1]?.content
    const none = await played(MULT8, 1, () => null)
    expect(none.text).toBe(`forfeited: there was no usable reply\nbest was ${product}`)
    const long = await played(MULT8, 1, () => 'x'.repeat(5000))
    expect(long.ending.why).toMatch(/^forfeited: the last line, "x{79}…", is no answer$/)
    const words = await played(MULT8, 1, () => `about ${product}`)
    expect(words.text).toBe(
      `forfeited: the last line, "about ${product}", is no answer\nbest was ${product}`,
    )
  })
})

it('says only the reward of what does not replay, and never throws', async () => {
  const { episode } = await played(TICTACTOE, 1, solve(TICTACTOE))
  const message = fc.record({
    role: fc.constantFrom('user' as const, 'assistant' as const),
    content: fc.oneof(
      fc.string(),
      fc.constantFrom(...episode.messages.map((each) => each.content)),
    ),
  })
  const hostile = fc.record({
    env: fc.constantFrom(TICTACTOE, MULT8, '__proto__', 'no@1.0.0'),
    challengeId: fc.constantFrom('', 'x', idOf(TICTACTOE, 2), idOf(MULT8, 2)),
    messages: fc.array(message, { maxLength: 8 }),
  })
  fc.assert(
    fc.property(hostile, ({ messages, ...challenge }) => {
      const ending = endingOf(challenge, { messages, reward: 7 })
      expect(ending).toEqual({ why: 'reward 7', shown: [], better: undefined })
    }),
  )
})
