import { ChainError } from '@affine/chain'
import type { Problem, ValidatorTask } from '@affine/engine'
import { MinerError } from '@affine/miners'
import { AlteredFile } from '@affine/node/disk'
import { stripTones } from '@affine/report'
import type { Output } from '@affine/terminal'
import { expect, test } from 'vitest'
import { createProblemFilter, printProblem } from '../src/service/narrate.ts'

const HEAD = { kind: 'head' } as const
const problem = (task: ValidatorTask, error: Error) => ({ type: 'problem', task, error }) as const
const miner = (port: number): ValidatorTask => ({
  kind: 'miner',
  model: 'm',
  chute: `http://127.0.0.1:${port}/v1`,
})

test('prints a problem that occurs at every block once in ten minutes, with its count', () => {
  let now = 0
  const countOmitted = createProblemFilter(() => now)
  const reports: (readonly [number, number])[] = []
  for (; now <= 1_300_000; now += 10_000) {
    const omitted = countOmitted(problem({ kind: 'seal', epoch: now }, new Error(`block ${now}`)))
    if (omitted !== undefined) reports.push([now / 1000, omitted])
  }
  expect(reports).toEqual([
    [0, 0],
    [600, 59],
    [1200, 59],
  ])
})

test.each<[string, readonly Problem[]]>([
  ['two miners', [8001, 8002].map((port) => problem(miner(port), new Error('x')))],
  [
    'two statuses of a miner',
    [404, 500].map((status) => problem(miner(1), new MinerError('status', 'x', status))),
  ],
  [
    'the lanes of two validators',
    ['5A', '5B'].map((hotkey) => problem({ kind: 'lane', epoch: 1, hotkey }, new Error('x'))),
  ],
  ['two codes', ['Stale', 'BadProof'].map((code) => problem(HEAD, new ChainError(code, 'x')))],
  [
    'two nodes of the chain',
    ['ws://a', 'ws://b'].map((node) =>
      problem({ kind: 'node' }, new ChainError('Unreachable', 'x', { node })),
    ),
  ],
  [
    'two causes',
    ['EIO', 'ENOSPC'].map((code) =>
      problem(HEAD, new Error('x', { cause: Object.assign(new Error(), { code }) })),
    ),
  ],
  [
    'two altered files',
    ['NOT_UTF8', 'OTHER_LANE'].map((fault) => problem(HEAD, new AlteredFile('x', fault, 'x'))),
  ],
  [
    'a refusal and another failure',
    [
      { ...problem({ kind: 'weights', epoch: 1 }, new Error('x')), phase: 'send' },
      problem({ kind: 'weights', epoch: 1 }, new Error('x')),
    ],
  ],
])('prints the problems of %s separately and immediately', (_, problems) => {
  const countOmitted = createProblemFilter(() => 0)
  for (const each of problems) expect(countOmitted(each)).toBe(0)
  for (const each of problems) expect(countOmitted(each)).toBeUndefined()
})

test('remembers a limited number of problems', () => {
  const countOmitted = createProblemFilter(() => 0)
  for (let port = 1; port <= 101; port++)
    expect(countOmitted(problem(miner(port), new Error('x')))).toBe(0)
  expect(countOmitted(problem(miner(1), new Error('x')))).toBe(0)
  expect(countOmitted(problem(miner(101), new Error('x')))).toBeUndefined()
})

test.each([
  ['AncientBirthBlock', 'warning'],
  ['Stale', 'warning'],
  ['SpaceLimitExceeded', 'warning'],
  ['SettingWeightsTooFast', 'warning'],
  ['DrandBehind', 'warning'],
  ['BadProof', 'problem'],
  ['HotKeyNotRegisteredInSubNet', 'problem'],
])('reports %s, a refusal, as a %s', (code, type) => {
  const records: object[] = []
  const screen = {
    line: (_: unknown, record: object) => records.push(record),
    status: () => {},
    wait: () => {},
  }
  const task = { kind: 'attest', epoch: 7 } as const
  printProblem({ ...problem(task, new ChainError(code)), phase: 'send' }, screen)
  expect(records).toEqual([expect.objectContaining({ type, task, phase: 'send', code })])
})

test('prints a problem on one line, escaped for the terminal', () => {
  const printed: string[] = []
  const screen: Output = {
    line: (lines) => printed.push(stripTones(lines)),
    status: () => {},
    wait: () => {},
  }
  const task = { kind: 'miner', model: 'me/\u001b[2J\nmine\u202e', chute: 'c' } as const
  for (const error of [new MinerError('status', 'x', 404), new ChainError('Stale')])
    printProblem(problem(task, error), screen)
  expect(printed).toHaveLength(2)
  expect(printed.join('')).not.toMatch(/\p{C}/u)
})
