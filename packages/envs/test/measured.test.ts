import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { callsOf, callsRow } from '../bench/calls.ts'
import { CHALLENGES, DUELS, GAMES } from '../bench/counts.ts'
import { contestOf, decisionRow } from '../bench/decisions.ts'
import { hexMatch, hexRow } from '../bench/hex-matches.ts'
import { coveredRow, packRewards, packRow, packScore } from '../bench/pack-matches.ts'
import { type NamePair, pairsOf } from '../bench/share.ts'
import { make, normalise, recordReply } from '../src/index.ts'

// Slow programs run only in the bench, which prints every row.
const page = readFileSync(new URL('../../../docs/environments.md', import.meta.url), 'utf8')
const rows = page.split('\n').map((line) => line.replaceAll(/ +/g, ' '))

test('measures the results of hex programs that docs/environments.md states', () => {
  const pair = ['golden', 'random'] as const
  expect(rows).toContain(hexRow(pair, hexMatch(pair, GAMES)))
})

test('measures the areas and results of pack programs that docs/environments.md states', () => {
  const names = ['greedy', 'sorted', 'golden']
  const rewards = Object.fromEntries(names.map((name) => [name, packRewards(name, CHALLENGES)]))
  const of = (name: string): readonly number[] => rewards[name] ?? []
  for (const name of names) expect(rows).toContain(coveredRow(name, of(name)))
  for (const pair of pairsOf(names))
    expect(rows).toContain(packRow(pair, packScore(of(pair[0]), of(pair[1]))))
})

test.each(['pack', 'tictactoe', 'mult8'])('measures the calls of %s as the docs state', (name) => {
  expect(rows).toContain(callsRow(name, callsOf(make(`${name}@0.1.0`), CHALLENGES)))
})

test.each(['tictactoe', 'mult8'])('measures the decisions in %s as the docs state', (name) => {
  const env = make(`${name}@0.1.0`)
  const { calls } = callsOf(env, CHALLENGES)
  const pair: NamePair = ['0.96', '0.95']
  const contest = contestOf(env.spec.id, 0.96, 0.95)
  expect(rows).toContain(decisionRow([name, ...pair], contest, { calls, duels: DUELS }))
})

/**
 * The replies in docs/environments.md with the answer B2, in JSON. `isRead`: whether the answer is
 * read. `isBare`: whether the last line is only B2.
 */
const FORMS = rows.flatMap((row) => {
  const [, text, isRead, isBare] =
    /^\| `+("[^|]*B2[^|]*")`+ \| (yes|no) \| (yes|no) \|$/.exec(row) ?? []
  return text === undefined ? [] : [{ text, isRead: isRead === 'yes', isBare: isBare === 'yes' }]
})

test('reads fourteen forms of an answer as docs/environments.md states', () => {
  const counts = [FORMS.length, FORMS.filter(({ isRead }) => isRead).length]
  expect([...counts, FORMS.filter(({ isBare }) => isBare).length]).toEqual([14, 12, 2])
  for (const id of ['tictactoe', 'mult8', 'hex', 'pack']) {
    const env = make(`${id}@0.1.0`)
    const [observation] = env.reset({ seed: 7 })
    const answer = env.spec.solve(env.prompt(observation))
    for (const { text, isRead, isBare } of FORMS) {
      const reply: string = JSON.parse(text.replace('B2', answer))
      expect([id, text, env.parse(recordReply(reply))]).toEqual([
        ...[id, text, isRead ? env.parse(answer) : null],
      ])
      expect([text, normalise(reply).split('\n').at(-1) === answer]).toEqual([text, isBare])
    }
  }
})
