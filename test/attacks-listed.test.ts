import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const script = join(import.meta.dirname, '..', 'scripts/attacks.mjs')

/** What the script says of a page that lists some attacks, and of files, each with what it describes. */
function check(listed: readonly string[], files: Readonly<Record<string, readonly string[]>>) {
  const cwd = mkdtempSync(join(tmpdir(), 'attacks-'))
  for (const folder of ['docs', 'test/attacks']) mkdirSync(join(cwd, folder), { recursive: true })
  const rows = listed.map((name) => `| an attack | fails | \`${name}\` |\n`)
  const head = '| attack | outcome | test |\n| - | - | - |\n'
  writeFileSync(join(cwd, 'docs/protocol.md'), head + rows.join(''))
  for (const [name, described] of Object.entries(files)) {
    const text = described.map((each) => `describe('${each}', () => {})\n`).join('')
    writeFileSync(join(cwd, 'test/attacks', `${name}.test.ts`), text)
  }
  const { status, stderr } = spawnSync(process.execPath, [script], { cwd, encoding: 'utf8' })
  rmSync(cwd, { recursive: true })
  return [status, stderr]
}

test('every attack listed has its test, and every test its row', () => {
  expect(check(['a', 'b'], { b: [], a: [] })).toEqual([0, ''])
  expect(check(['a', 'b', 'c'], { a: [], both: ['b', 'c'] })).toEqual([0, ''])
  expect(check(['a', 'b'], { a: [] })).toEqual([1, 'b: a row without a test\n'])
  expect(check(['a'], { a: [], b: [] })).toEqual([1, 'b: a test without a row\n'])
  expect(check(['a', 'a'], { a: [] })).toEqual([1, 'a: two rows\n'])
  expect(check(['a'], { a: [], both: ['a'] })).toEqual([1, 'a: two tests\n'])
  expect(check([], {})).toEqual([1, ''])
})
