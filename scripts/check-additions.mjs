// Adds an environment, a kind of bucket and a kind of chain to a copy of the project, each in one
// file with a few lines elsewhere, then checks and tests the copy.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { copyOf } from './copy.mjs'

/** Releases the environment of docs/adding-an-environment.md, as in its last steps. */
function addEnvironment({ write, edit }) {
  const page = readFileSync('docs/adding-an-environment.md', 'utf8')
  const [module] = blocksOf(page, 'js')
  const [beginning, registered, constant] = blocksOf(page, 'ts')
  const [, definition] = module.match(/defineGame\(\{\n(.*?)^ {2}\}\)$/ms)
  const [imported, loop] = registered.trim().split('\n\n')
  const [file, registry, protocol] = [
    'packages/envs/src/nim.ts',
    'packages/envs/src/registry.ts',
    'packages/duel/src/env-constants.ts',
  ]
  write(file, `${beginning}${definition}})\n`)
  edit(registry, /^/, `${imported}\n`)
  edit(registry, /^for \(const spec of .*$/m, loop)
  edit(protocol, /^export const MAIN_ENVS.*$/m, `$&\n${constant.trim()}`)
}

const blocksOf = (page, language) =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'))].map(
    ([, block]) => block,
  )

const MEMORY = `const files = new Map<string, Uint8Array>()

/** A bucket in the memory of this process. */
const MEMORY: Backend = {
  label: 'in memory',
  needsUrl: false,
  settings: {
    memoryName: {
      option: '--memory-name <name>',
      variables: ['AFFINE_MEMORY_NAME'],
      read: readWord,
      needed: true,
      help: "the bucket's name in memory",
    },
  },
  createBucket: () => ({
    open: () => ({
      read: async (path) => files.get(path) ?? null,
      write: async (path, bytes) => void files.set(path, bytes),
    }),
  }),
}

`

const MEMORY_TEST = `import { expect, it } from 'vitest'
import { doctor } from '../src/commands/doctor.ts'
import { setup } from '../src/commands/setup.ts'
import { validate } from '../src/commands/validate.ts'
import { checkVariables } from '../src/settings/env-file.ts'
import { readSettings } from '../src/settings/settings.ts'

it('gives a bucket in memory an option in every command, and opens it by a variable', async () => {
  for (const command of [doctor, setup, validate])
    expect(command.options.map(({ long }) => long)).toContain('--memory-name')
  const flags = { network: 'local', folder: 'f' }
  const { problems, settings } = readSettings(flags, { AFFINE_MEMORY_NAME: 'x' })
  expect(problems).toEqual([])
  await settings?.bucket.open('hotkey').write('a', new Uint8Array([7]))
  expect(await settings?.bucket.open('hotkey').read('a', 9)).toEqual(new Uint8Array([7]))
  process.env.AFFINE_MEMORY_NAME = 'x'
  expect(checkVariables()).toEqual([])
  const [missing] = readSettings(flags, {}).problems
  expect(missing).toMatch(/^the bucket: .*--memory-name or AFFINE_MEMORY_NAME/)
})
`

function addBackend({ write, edit, run }) {
  const backends = 'apps/validator/src/buckets/backends.ts'
  const test = 'apps/validator/test/memory.test.ts'
  edit(backends, /^\/\*\* The kinds of buckets, in/m, `${MEMORY}$&`)
  write(test, MEMORY_TEST)
  edit(backends, /(BACKENDS.* = \[.*)\]/, '$1, MEMORY]')
  // This adds the new setting to the list in docs/settings.md.
  run('vitest', 'run', '--project', 'node', 'settings-page', '-u')
}

const ECHO = `import type { OpenAt } from './chain.ts'
import { LocalChain } from './local/local-chain.ts'

/** Opens a new chain of one block, whatever the name. */
export const openEcho: OpenAt = async (_, { random, netuid = 1 }) =>
  LocalChain.create({ netuid, random: () => random(32) })
`

const ECHO_TEST = `import { expect, it } from 'vitest'
import { NETWORK_HELP, openLive } from '../src/index.ts'
import { NODE_HOST } from '../src/node/host.ts'

it('opens by its name', async () => {
  await using opened = await openLive('echo://here', NODE_HOST, { netuid: 9 })
  expect(opened.chain.netuid).toBe(9)
  expect(NETWORK_HELP).toContain('an echo:// name')
})
`

function addChain({ write, edit }) {
  const [index, test] = ['packages/chain/src/index.ts', 'packages/settlement/test/echo.test.ts']
  const open = 'packages/settlement/src/open-chain.ts'
  write('packages/chain/src/echo.ts', ECHO)
  write(test, ECHO_TEST)
  edit(index, /^(export \{ LocalChain)/m, "export { openEcho } from './echo.ts'\n$1")
  const loader = "async () => (await import('@affine/chain')).openEcho"
  const line = `{ help: 'an echo:// name', place: /^echo:/, loadOpener: ${loader} },`
  edit(open, /(const LIVE_KINDS.*\n)/, `$1  ${line}\n`)
}

/**
 * Tests whose result an added environment, bucket or chain can change. Other tests use their own
 * environments, buckets and chains.
 */
const TESTS = [
  // These check every registered environment.
  ...['env', 'registry', 'replay', 'vectors'].map((name) => `packages/envs/test/${name}.`),
  'packages/blocks/test/longest-sample',
  'packages/miners/test/solo',
  'packages/report/test/registered',
  'apps/explorer/test/answers',
  // These compare the environments of a network with the code and the protocol.
  'packages/duel/test/protocol',
  'packages/duel/test/four-environments',
  'packages/settlement/test/networks',
  'packages/settlement/test/on-chain',
  'test/protocol-',
  'apps/validator/test/spec-hashes',
  // These open each kind of bucket and chain.
  'apps/validator/test/memory.test',
  'packages/settlement/test/echo',
  'packages/settlement/test/open-chain',
]

const folder = mkdtempSync(join(tmpdir(), 'affine-additions-'))
try {
  const copy = copyOf(folder)
  addEnvironment(copy)
  addBackend(copy)
  addChain(copy)
  copy.run('biome', 'check', '--write', '--error-on-warnings', 'packages', 'apps')
  copy.run('tsc', '-p', '.')
  copy.run('vitest', 'run', '--project', 'node', '--project', 'alone', ...TESTS)
  console.log('an environment, a bucket and a chain were added, and the copy passes')
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true })
}
