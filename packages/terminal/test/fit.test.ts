import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { fit } from '../src/fit.ts'
import { align } from '../src/table.ts'

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
  .array(fc.constantFrom('a', 'word', '  ', '    ', 'w'.repeat(50), 'é⏎💥', '[   ━━┃  ]', '✔'))
  .map((words) => words.join(' '))

describe('a text in a terminal', () => {
  it('has no line that is wider, and loses nothing but spaces', () => {
    fc.assert(
      fc.property(fc.array(LINE), fc.integer({ min: 24, max: 100 }), (lines, width) => {
        const text = lines.join('\n')
        const fitted = fit(text, width)
        expect(widest(fitted)).toBeLessThanOrEqual(width)
        expect(letters(fitted)).toBe(letters(text))
      }),
    )
  })

  it('is as it was where it fits, and where there is no terminal', () => {
    const text = `  champion  ${'x'.repeat(200)}\n\n  b   c`
    expect(fit(text, 300)).toBe(text)
    Object.assign(process.stdout, { isTTY: undefined, columns: 40 })
    expect(fit(text)).toBe(text)
    inTerminal(40)
    expect(widest(fit(text))).toBe(40)
  })

  it('goes on under a text with a name before it, unless it is prose or the name is long', async () => {
    const line = 'champion  holds the throne and the copy contends, epoch 2 of 8'
    const fitted = [
      fit(line, 40),
      fit(`  lanes: ${line.replace('  ', ' ')}`, 40),
      fit(`  duel [options] <champion> <contender>  ${line.slice(10)}`, 40),
      fit('It goes on and on.\n  $ af --version', 11, 0),
    ]
    await expect(`${fitted.join('\n\n')}\n`).toMatchFileSnapshot('snapshots/fit.txt')
  })

  it('keeps a drawn interval whole', () => {
    const drawn = `[${' '.repeat(13)}━━━━┃━━${' '.repeat(10)}]`
    const line = `    for a win: 31.225646 of 43.49113 won, 46.49113 expected ${drawn} 0.50871…0.862245`
    expect(fit(line, 40).split('\n')).toContain(`        ${drawn}`)
  })

  it('is a command still where it is one: a shell reads it as one line', () => {
    const command = '$ printf %s. one two --network http://127.0.0.1:9944 three four five six'
    const broken = fit(`  ${command}`, 40)
    expect(widest(broken)).toBeLessThanOrEqual(40)
    expect(broken.split('\n').length).toBeGreaterThan(1)
    const said = execFileSync('/bin/sh', ['-c', broken.trim().slice(2)], { encoding: 'utf8' })
    expect(said).toBe('one.two.--network.http://127.0.0.1:9944.three.four.five.six.')
  })
})

describe('a table in a terminal', () => {
  const rows = [
    { uid: 3, hotkey: '5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty', why: 'is the champion' },
    { uid: 14, hotkey: '5DAAnrj7VHTznn2AWBemMuyBwZWs6FNFjdyVXUeYum3PTXFy', why: 'waits' },
  ]

  it('is a line for each if it fits, breaks its widest cells, or else lists its fields', async () => {
    const wide = rows.map((row) => ({ ...row, lane: '✘ not attested', trust: 0.5 }))
    const tables: string[] = []
    for (const [columns, table] of [
      [80, rows],
      [50, rows],
      [40, wide],
    ] as const) {
      inTerminal(columns)
      tables.push(`${columns} columns\n${align(table).join('\n')}\n`)
    }
    await expect(tables.join('\n')).toMatchFileSnapshot('snapshots/tables.txt')
  })
})
