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

test('prints a problem of every block every ten minutes, with its count', () => {
  let now = 0
  const unsaidOf = createProblemFilter(() => now)
  const said: (readonly [number, number])[] = []
  for (; now <= 1_300_000; now += 10_000) {
    const unsaid = unsaidOf(problem({ kind: 'seal', epoch: now }, new Error(`block ${now}`)))
    if (unsaid !== undefined) said.push([now / 1000, unsaid])
  }
  expect(said).toEqual([
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
  const unsaidOf = createProblemFilter(() => 0)
  for (const each of problems) expect(unsaidOf(each)).toBe(0)
  for (const each of problems) expect(unsaidOf(each)).toBeUndefined()
})

test('remembers a limited number of problems', () => {
  const unsaidOf = createProblemFilter(() => 0)
  for (let port = 1; port <= 101; port++)
    expect(unsaidOf(problem(miner(port), new Error('x')))).toBe(0)
  expect(unsaidOf(problem(miner(1), new Error('x')))).toBe(0)
  expect(unsaidOf(problem(miner(101), new Error('x')))).toBeUndefined()
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
  const said: object[] = []
  const screen = {
    line: (_: unknown, record: object) => said.push(record),
    status: () => {},
    wait: () => {},
  }
  const task = { kind: 'attest', epoch: 7 } as const
  printProblem({ ...problem(task, new ChainError(code)), phase: 'send' }, screen)
  expect(said).toEqual([expect.objectContaining({ type, task, phase: 'send', code })])
})

test('prints a problem on one line, escaped for the terminal', () => {
  const said: string[] = []
  const screen: Output = {
    line: (lines) => said.push(stripTones(lines)),
    status: () => {},
    wait: () => {},
  }
  const task = { kind: 'miner', model: 'me/\u001b[2J\nmine\u202e', chute: 'c' } as const
  for (const error of [new MinerError('status', 'x', 404), new ChainError('Stale')])
    printProblem(problem(task, error), screen)
  expect(said).toHaveLength(2)
  expect(said.join('')).not.toMatch(/\p{C}/u)
})
