import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Option } from '@commander-js/extra-typings'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { testFolder } from '../../../test/test-folder.ts'
import { words } from '../../../test/words.ts'
import { chainCommand, NAMES_FILE, readNames } from '../src/command.ts'
import { envFile, readEnvironment } from '../src/environment.ts'

const root = testFolder('environment')
const names = words(
  'SUBTENSOR_ENDPOINT SUBTENSOR_FALLBACK AFFINE_NETUID NETUID AFFINE_BUCKETS NODE_DEBUG',
)

beforeEach(() => {
  for (const name of names) vi.stubEnv(name, undefined)
})
afterEach(() => vi.unstubAllEnvs())

const before = process.cwd()
beforeAll(() => process.chdir(root))
afterAll(() => process.chdir(before))

/** Reads a file of settings with these lines. */
async function read(...lines: readonly string[]): Promise<void> {
  await writeFile('.env', lines.join('\n'))
  await readEnvironment()
}

/** Returns the options of a command for a chain, from its words and the environment. */
function optionsOf(...words: readonly string[]) {
  const command = chainCommand('look', '')
    .addOption(new Option('--buckets <folder>').env('AFFINE_BUCKETS'))
    .exitOverride()
    .configureOutput({ writeErr: () => {} })
    .action(() => {})
  return command.parse(words, { from: 'user' }).opts()
}

describe('a file of settings', () => {
  it('sets only settings that the environment lacks', async () => {
    const lines = ['SUBTENSOR_ENDPOINT=local', 'NETUID=7', 'AFFINE_BUCKETS=b', 'NODE_DEBUG=http']
    vi.stubEnv('AFFINE_BUCKETS', 'mine')
    await read(...lines)
    expect(envFile()).toMatchObject({
      lines: lines.map((_, i) => ({ number: i + 1 })),
      given: { SUBTENSOR_ENDPOINT: 'local', NETUID: '7' },
    })
    expect(process.env.NODE_DEBUG).toBeUndefined()
    expect(optionsOf()).toMatchObject({ network: 'local', netuid: 7, buckets: 'mine' })
  })

  it('is refused with its name and the numbers of all unreadable lines, and sets nothing', async () => {
    const lines = ['NETUID=7', 'export NETUID=8', 'PATH=$x', 'AFFINE_BUCKETS=s3cret #']
    const refused = await read(...lines).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(RangeError)
    expect(String(refused)).toMatch(/\.env, line 2: expected .*; line 4: expected /)
    expect(String(refused)).not.toContain('s3cret')
    expect(process.env.NETUID).toBeUndefined()
  })
})

it('names the option, variable or file that names the network', async () => {
  await read('SUBTENSOR_ENDPOINT=local')
  const from = (...words: readonly string[]) => optionsOf(...words).networkFrom
  expect(from()).toBe('SUBTENSOR_ENDPOINT in .env')
  expect(from('--network', 'test')).toBe('--network')
  await read()
  expect(from()).toBe('SUBTENSOR_ENDPOINT')
})

describe('the environment', () => {
  it('has lower priority than options, and ignores empty variables of an option', async () => {
    vi.stubEnv('SUBTENSOR_ENDPOINT', 'finney')
    vi.stubEnv('NETUID', '7')
    expect(optionsOf()).toMatchObject({ network: 'finney', netuid: 7 })
    vi.stubEnv('AFFINE_NETUID', '8')
    expect(optionsOf('--network', 'test')).toMatchObject({ network: 'test', netuid: 8 })
    vi.stubEnv('AFFINE_NETUID', '')
    await read()
    expect(optionsOf()).toMatchObject({ network: 'finney', netuid: 7 })
    expect(optionsOf('--netuid', '9')).toMatchObject({ network: 'finney', netuid: 9 })
  })

  it('adds the node of SUBTENSOR_FALLBACK only if a variable, not --network, names the nodes', () => {
    vi.stubEnv('SUBTENSOR_FALLBACK', 'ws://127.0.0.1:9')
    expect(optionsOf('--network', 'test')).toMatchObject({ network: 'test' })
    vi.stubEnv('SUBTENSOR_ENDPOINT', 'finney')
    expect(optionsOf('--network', 'test')).toMatchObject({ network: 'test' })
    expect(optionsOf()).toMatchObject({ network: 'finney,ws://127.0.0.1:9' })
  })

  it('is refused with the name of a variable if its value is invalid', () => {
    vi.stubEnv('AFFINE_NETUID', 'many')
    expect(() => optionsOf('--network', 'test')).toThrow(/'many' from env 'AFFINE_NETUID'/)
  })
})

it.each([
  ['{"5A":"alice","5B":3,"__proto__":"x"}', ['5A', '__proto__']],
  ['[', []],
  ['null', []],
])('reads only names of hotkeys that are strings: %s', async (text, keys) => {
  await writeFile(join(root, NAMES_FILE), text)
  expect(Object.keys(await readNames(join(root, 'chain.json')))).toEqual(keys)
})
