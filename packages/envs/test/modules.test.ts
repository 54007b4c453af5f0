import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkEnv } from '../src/check-env.ts'
import { expectEnvs, make, specHash } from '../src/index.ts'
import { listModules, loadModule } from '../src/modules.ts'

const PAGE = join(import.meta.dirname, '../../../docs/adding-an-environment.md')
const page = readFileSync(PAGE, 'utf8')
const [, NIM = ''] = /^```js\n(.*?)^```$/ms.exec(page) ?? []
/** The specHash that the page's Python example prints. */
const [, HASH = ''] = /^```text\n([0-9a-f]{64})$/m.exec(page) ?? []

const urlOf = (source: string): string =>
  `data:text/javascript;base64,${Buffer.from(source).toString('base64')}`

test('loads the module of docs/adding-an-environment.md, which passes the checks', async () => {
  await loadModule(urlOf(NIM))
  await loadModule(urlOf(NIM))
  expect([...listModules().values()].flat()).toEqual([make('nim-v0').spec])
  checkEnv(make('nim-v0'))
  expect(specHash('nim@0.1.0')).toBe(HASH)
})

test.each([
  ['does not parse', 'export default ( => {}', "Unexpected token '=>'"],
  ['throws', 'throw new Error("boom")', 'boom'],
  ['has no function', 'export const nim = 1', 'its default export must be a function'],
  ['registers nothing', 'export default () => {}', 'it registers no environment'],
  ['has an id that exists', NIM.replace("'nim'", "'mult8'"), 'got "mult8@0.1.0"'],
])('rejects a module that %s', async (_, source, message) => {
  const count = listModules().size
  await expect(loadModule(urlOf(source))).rejects.toThrow(message)
  expect(listModules().size).toBe(count)
})

test('checks the specHash and players of the environments of a network', async () => {
  const nim = { specHash: HASH, players: 2 }
  expectEnvs({ 'nim@0.1.0': nim })
  const refused = [
    { 'go@0.1.0': nim },
    { __proto__x: nim },
    { 'nim@0.1.0': { ...nim, specHash: '00'.repeat(32) } },
    { 'nim@0.1.0': { ...nim, players: 1 } },
  ]
  const messages = refused.map((envs) => {
    try {
      expectEnvs(envs)
    } catch (error) {
      return (error as RangeError).message
    }
    return 'accepted'
  })
  const text = messages.join('\n').replaceAll(HASH, '<hash>')
  await expect(text).toMatchFileSnapshot('snapshots/expected-envs.txt')
})
