import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const script = join(import.meta.dirname, '..', 'scripts/attacks.mjs')

/** What the script says of a page that lists some attacks, and a folder that tests some. */
function check(listed: readonly string[], tested: readonly string[]) {
  const cwd = mkdtempSync(join(tmpdir(), 'attacks-'))
  for (const folder of ['docs', 'test/attacks']) mkdirSync(join(cwd, folder), { recursive: true })
  const rows = listed.map((name) => `| an attack | fails | \`${name}.test.ts\` |\n`)
  const head = '| attack | outcome | test |\n| - | - | - |\n'
  writeFileSync(join(cwd, 'docs/protocol.md'), head + rows.join(''))
  for (const name of tested) writeFileSync(join(cwd, 'test/attacks', `${name}.test.ts`), '')
  const { status, stderr } = spawnSync(process.execPath, [script], { cwd, encoding: 'utf8' })
  rmSync(cwd, { recursive: true })
  return [status, stderr]
}

test('every attack listed has its test, and every test its row', () => {
  expect(check(['a', 'b'], ['b', 'a'])).toEqual([0, ''])
  expect(check(['a', 'b'], ['a'])).toEqual([1, 'b.test.ts: a row without a test\n'])
  expect(check(['a'], ['a', 'b'])).toEqual([1, 'b.test.ts: a test without a row\n'])
  expect(check(['a', 'a'], ['a'])).toEqual([1, 'a.test.ts: two rows\n'])
  expect(check([], [])).toEqual([1, ''])
})
