import { WriteStream } from 'node:tty'
import { Command } from '@commander-js/extra-typings'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { endWait, formatCommand, output } from '../src/output.ts'
import { captureOutput, within } from './within.ts'

const { isTTY, getColorDepth } = process.stdout
afterEach(() => {
  vi.unstubAllEnvs()
  Object.assign(process.stdout, { isTTY, getColorDepth })
})

const LINES = [
  'the model me/★ It won ✔ ✘ → hold',
  { text: 'No problems found.', tone: 'good' },
  { text: '✘ a flaw', tone: 'bad' },
  { text: '! a warning', tone: 'warning' },
] as const
const printed = async (json?: boolean): Promise<string> =>
  (await captureOutput(async () => output(json).line(LINES, { type: 'end' }))).stdout

it('colours a line by its tone, regardless of its words', async () => {
  vi.stubEnv('NO_COLOR', undefined)
  vi.stubEnv('FORCE_COLOR', '1')
  expect((await printed()).split('\n')).toEqual([
    'the model me/★ It won ✔ ✘ → hold',
    '\u001b[32mNo problems found.\u001b[39m',
    '\u001b[31m✘ a flaw\u001b[39m',
    '\u001b[33m! a warning\u001b[39m',
    '',
  ])
  expect(await printed(true)).toBe('{"type":"end"}\n')
})

it.each([
  [undefined, undefined, false],
  [true, '1', false],
  [true, undefined, true],
])('colours only in a terminal without NO_COLOR: isTTY %s, NO_COLOR %s', async (...given) => {
  const [isTTY, noColor, isColoured] = given
  vi.stubEnv('FORCE_COLOR', undefined)
  vi.stubEnv('NO_COLOR', noColor)
  const env = { TERM: 'xterm', ...(noColor && { NO_COLOR: noColor }) }
  const getColorDepth = () => WriteStream.prototype.getColorDepth(env)
  Object.assign(process.stdout, { isTTY, getColorDepth })
  expect((await printed()).includes('\u001b')).toBe(isColoured)
})

it('names a program for hints, with npx if npm started this program', () => {
  vi.stubEnv('npm_command', undefined)
  expect(formatCommand('af-verify')).toBe('af-verify')
  vi.stubEnv('npm_command', 'run-script')
  expect(formatCommand('af-verify')).toBe('npx af-verify')
})

it('without a terminal, prints only a status that ends with a line feed', async () => {
  Object.assign(process.stdout, { isTTY: undefined })
  const { stdout, stderr } = await captureOutput(async () => {
    output().status('1 of 2')
    output().status('stopped\n')
  })
  expect([stdout, stderr]).toEqual(['', 'stopped\n'])
})

it('adds a remedy to the error of a node that does not answer', async () => {
  const error = Object.assign(new Error('no answer'), { code: 'Unreachable', node: 'wss://a' })
  const program = new Command('p').action(() => Promise.reject(error))
  const advice = "check this machine's network, or name another node with --network wss://…"
  expect((await within(program, [])).stderr).toBe(`p: no answer: ${advice}\n`)
})

describe('wait', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => {
    endWait()
    vi.useRealTimers()
  })

  it.each([false, true])(
    'prints to standard error after 5 s and every 30 s; JSON: %s',
    async (json) => {
      Object.assign(process.stdout, { isTTY: undefined })
      const { stdout, stderr } = await captureOutput(async () => {
        const screen = output(json)
        screen.wait('reading epoch 1')
        vi.advanceTimersByTime(4000)
        screen.wait('reading epoch 2')
        vi.advanceTimersByTime(32_000)
        screen.line('done', {})
        vi.advanceTimersByTime(60_000)
      })
      expect(stderr).toBe('reading epoch 2\nreading epoch 2\n')
      expect(stdout).toBe(json ? '{}\n' : 'done\n')
    },
  )
})
