import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

it('has an example that prints what it says', async () => {
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8')
  const examples = [...readme.matchAll(/^```ts\n(.*?)^```/gms)].map(([, code]) => code!)
  expect(examples).toHaveLength(1)
  const said = [...examples[0]!.matchAll(/^console\.log.*\) \/\/ (.*)$/gm)].map(
    ([, printed]) => `${printed}\n`,
  )
  expect(said).toHaveLength(2)
  const options = { cwd: fileURLToPath(new URL('..', import.meta.url)) }
  const flags = ['--conditions=@affine/source', '--import', 'tsx', '--input-type=module', '--eval']
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, examples[0]!], options)
  expect(stdout).toBe(said.join(''))
})
