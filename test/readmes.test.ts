import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

test.each(['chain', 'duel', 'engine', 'miners', 'prng', 'report', 'settlement'])(
  'the example of %s prints what its README says',
  (name) => {
    const cwd = fileURLToPath(new URL(`../packages/${name}`, import.meta.url))
    const readme = readFileSync(`${cwd}/README.md`, 'utf8')
    const [, example = ''] = /```ts\n(.*?)```/s.exec(readme) ?? []
    const [, printed = ''] = /```text\n(.*?)```/s.exec(readme) ?? []
    const flags = [
      '--conditions=@affine/source',
      '--import',
      'tsx',
      '--input-type=module',
      '--eval',
    ]
    const said = execFileSync(process.execPath, [...flags, example], { cwd, encoding: 'utf8' })
    expect(said).toBe(printed)
    expect(printed).not.toBe('')
  },
)
