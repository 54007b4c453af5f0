import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { fit } from '../src/fit.ts'
import { formatTable } from '../src/output.ts'

const { isTTY, columns } = process.stdout
const inTerminal = (columns: number): void =>
  void Object.assign(process.stdout, { isTTY: true, columns })
afterEach(() => {
  Object.assign(process.stdout, { isTTY, columns })
  vi.unstubAllEnvs()
})

const widest = (text: string): number =>
  Math.max(...text.split('\n').map((line) => [...line].length))
const letters = (text: string): string => text.replaceAll(/[ \n]/g, '')
const LINE = fc
  .array(fc.constantFrom('a', 'word', '  ', '    ', 'w'.repeat(50), 'é⏎💥', '[   ━━┃  ]', '✔', '%'))
  .map((words) => words.join(' '))

describe('a text in a terminal', () => {
  it('has no line wider than the terminal, and loses only spaces', () => {
    fc.assert(
      fc.property(fc.array(LINE), fc.integer({ min: 24, max: 100 }), (lines, width) => {
        const text = lines.join('\n')
        const fitted = fit(text, width)
        expect(widest(fitted)).toBeLessThanOrEqual(width)
        expect(letters(fitted)).toBe(letters(text))
      }),
    )
  })

  it('keeps a number and its % on one line', () => {
    expect(fit('53.3 % to 100 %: its score', 17)).toBe('53.3 % to\n    100 %: its\n    score')
  })
})

const rows = [
  { uid: 3, hotkey: '5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty', why: 'is the champion' },
  { uid: 14, hotkey: '5DAAnrj7VHTznn2AWBemMuyBwZWs6FNFjdyVXUeYum3PTXFy', why: 'waits' },
]

it('formats a table with one line for each record if it fits, and otherwise one for each field', async () => {
  const tables: string[] = []
  for (const columns of [70, 69]) {
    inTerminal(columns)
    tables.push(`${columns} columns\n${formatTable(rows).join('\n')}\n`)
  }
  await expect(tables.join('\n')).toMatchFileSnapshot('snapshots/tables.txt')
})
