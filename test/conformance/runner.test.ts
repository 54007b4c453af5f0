import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const SCRIPT = fileURLToPath(new URL('../../scripts/conformance.mjs', import.meta.url))
const check = (...words: readonly string[]) =>
  spawnSync(process.execPath, [SCRIPT, '--', ...words], { encoding: 'utf8' })

it('exits with 2 and the reason if the program cannot be run', () => {
  const { status, stdout, stderr } = check('./nope', '{}')
  expect([status, stdout, stderr]).toEqual([2, '', './nope cannot be run: ENOENT\n'])
})

it('reports a line that is not JSON as a difference of its history', () => {
  const { status, stdout } = check('printf', 'null\n[]\nso\n')
  expect(status).toBe(1)
  expect(stdout).toContain('\n  line 3 of the output is not JSON: "so"\n')
  expect(stdout).toMatch(/^0 histories passed, \d+ failed$/m)
})
