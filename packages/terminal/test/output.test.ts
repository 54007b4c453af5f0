import { afterEach, expect, it, vi } from 'vitest'
import { output } from '../src/output.ts'
import { written } from './within.ts'

const { isTTY } = process.stdout
afterEach(() => {
  vi.unstubAllEnvs()
  Object.assign(process.stdout, { isTTY })
})

const LINES = [
  'the model me/★ It won ✔ ✘ → hold',
  { text: 'No problems found.', tone: 'good' },
  { text: '✘ a flaw', tone: 'bad' },
  { text: '! a warning', tone: 'warning' },
] as const
const printed = async (json?: boolean): Promise<string> =>
  (await written(async () => output(json).line(LINES, { type: 'end' }))).stdout

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

it('colours nothing without a terminal', async () => {
  vi.stubEnv('FORCE_COLOR', undefined)
  Object.assign(process.stdout, { isTTY: undefined })
  expect(await printed()).not.toContain('\u001b')
})
