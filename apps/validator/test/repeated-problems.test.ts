import { ChainError } from '@affine/chain'
import { type Line, plainText } from '@affine/report'
import type { Output } from '@affine/terminal'
import { expect, test } from 'vitest'
import { repeatedProblems, sayProblem } from '../src/service/narrate.ts'

const problem = (message: string) =>
  ({ type: 'problem', what: 'turn', error: new Error(message) }) as const

test('a problem at every block is said every ten minutes, with how often it came', () => {
  let now = 0
  const unsaidOf = repeatedProblems(() => now)
  const said: (readonly [number, number])[] = []
  for (; now <= 1_300_000; now += 10_000) {
    const unsaid = unsaidOf(problem(`cannot write v1/states/${now}.json`))
    if (unsaid !== undefined) said.push([now / 1000, unsaid])
  }
  expect(said).toEqual([
    [0, 0],
    [600, 59],
    [1200, 59],
  ])
})

test('two miners, and two statuses of one, are said at once though they differ only in numbers', () => {
  const unsaidOf = repeatedProblems(() => 0)
  const texts = [8001, 8002].flatMap((port) =>
    [429, 503].map((status) => [port, `status ${status}, an empty body`] as const),
  )
  for (const [port, text] of texts) {
    const what = `miner m at http://127.0.0.1:${port}/v1`
    expect(unsaidOf({ type: 'problem', what, error: new Error(text) })).toBe(0)
  }
})

test('another problem is said at once, and only so many are remembered', () => {
  const unsaidOf = repeatedProblems(() => 0)
  for (const text of ['a', 'b']) expect(unsaidOf(problem(text))).toBe(0)
  expect(unsaidOf(problem('a'))).toBeUndefined()
  const words = Array.from({ length: 26 ** 2 }, (_, i) =>
    String.fromCharCode(97 + Math.floor(i / 26), 97 + (i % 26)),
  )
  for (const word of words) expect(unsaidOf(problem(word))).toBe(0)
  expect(unsaidOf(problem('a'))).toBe(0)
})

test.each([
  ['AncientBirthBlock', 'warning'],
  ['Stale', 'warning'],
  ['SpaceLimitExceeded', 'warning'],
  ['SettingWeightsTooFast', 'warning'],
  ['DrandBehind', 'warning'],
  ['BadProof', 'problem'],
  ['HotKeyNotRegisteredInSubNet', 'problem'],
])('%s, a refusal, is a %s', (code, type) => {
  const said: object[] = []
  const screen = {
    line: (lines: string | readonly Line[], record: object) =>
      said.push({ ...record, text: plainText(lines) }),
    status: () => {},
  }
  const { message } = new ChainError(code)
  sayProblem({ type: 'problem', what: 'attest 7', error: new Error(message) }, screen)
  const next = type === 'warning' ? '; it is sent again if its epoch allows it, and you ' : ''
  const text = expect.stringContaining(`attest 7: ${message}${next}`)
  expect(said).toEqual([expect.objectContaining({ type, text })])
})

test('a problem with a miner whose model has a name that a terminal acts on is one plain line', () => {
  const said: string[] = []
  const screen: Output = { line: (lines) => said.push(plainText(lines)), status: () => {} }
  const what = 'miner me/\u001b[2J\nmine\u202e at http://127.0.0.1/v1'
  for (const message of ['status 404', 'Stale'])
    sayProblem({ type: 'problem', what, error: new Error(message) }, screen)
  expect(said).toHaveLength(2)
  expect(said.join('')).not.toMatch(/\p{C}/u)
})
