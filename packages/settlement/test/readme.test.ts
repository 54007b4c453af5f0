import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const cwd = fileURLToPath(new URL('..', import.meta.url))

test('the example prints what the README says', () => {
  const readme = readFileSync(`${cwd}/README.md`, 'utf8')
  const [, example = ''] = /```ts\n(.*?)```/s.exec(readme) ?? []
  const [, printed = ''] = /```text\n(.*?)```/s.exec(readme) ?? []
  const flags = [
    '--conditions=@affine/source',
    '--import',
    'tsx',
    '--input-type=module',
    '--eval',
    example,
  ]
  expect(execFileSync(process.execPath, flags, { cwd, encoding: 'utf8' })).toBe(printed)
})
