import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { LocalChain } from '@affine/chain'
import { expect, it } from 'vitest'
import { runAf, runVerifier } from '../../../test/in-process.ts'
import { testFolder } from '../../../test/test-folder.ts'

const root = testFolder('env-module')
const page = new URL('../../../docs/adding-an-environment.md', import.meta.url)
const [, NIM = ''] = /^```js\n(.*?)^```$/ms.exec(await readFile(page, 'utf8')) ?? []
const QUOTAS = { quotaFirst: 8, quotaMost: 64 }

const write = (name: string, text: string): Promise<void> => writeFile(join(root, name), text)

it('refuses a module that cannot be loaded, with its file and the reason', async () => {
  await write('throws.mjs', 'export default () => { throw new Error("boom\\u001b[2J") }')
  for (const [files, reason] of [
    ['missing.mjs', `expected a module's file, got "missing.mjs"`],
    [',', `expected a module's file, got ""`],
    [root, `expected a module's file, got "${root}"`],
    ['throws.mjs', 'cannot load throws.mjs: boom'],
  ] as const) {
    const { code, stderr } = await runAf(['env', 'list', '--env-module', files], { cwd: root })
    expect([code, stderr]).toEqual([2, expect.stringContaining(`"env-module" ${reason}`)])
    expect(stderr).not.toContain('\u001b')
  }
})

it('refuses a chain whose environments are missing, and names them', async () => {
  const envs = { 'go@0.1.0': { specHash: 'ab'.repeat(32), players: 2, ...QUOTAS } }
  const chain = LocalChain.create({ netuid: 120, random: () => new Uint8Array(32), envs })
  await write('go.json', chain.export())
  const words = ['buckets', '--network', 'go.json']
  const { code, stderr } = await runVerifier(words, { cwd: root })
  expect([code, stderr]).toEqual([2, expect.stringContaining('plays go@0.1.0 with specHash abab')])
})

it('gives a new local chain only the environments of loaded modules', async () => {
  await write('nim.mjs', NIM)
  await write('nim-2.mjs', NIM.replace("'0.1.0'", "'0.2.0'"))
  const env = { AFFINE_ENV_MODULE: 'nothing.mjs' }
  const modules = ['--env-module', './nim.mjs', '--env-module', './nim-2.mjs']
  const { code, stdout } = await runAf(['env', 'list', ...modules], { cwd: root, env })
  expect(code).toBe(0)
  const [, specHash] = /^nim@0\.1\.0 .* specHash ([0-9a-f]{64})$/m.exec(stdout) ?? []
  const { createLocalChain } = await import('@affine/settlement/node')
  const chain = createLocalChain([], [], { random: () => new Uint8Array(32) })
  expect(LocalChain.import(chain.export()).envs).toEqual({
    'nim@0.1.0': { specHash, players: 2, ...QUOTAS },
    'nim@0.2.0': { specHash: expect.any(String), players: 2, ...QUOTAS },
  })
})
