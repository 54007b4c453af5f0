import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Option } from '@commander-js/extra-typings'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { testFolder } from '../../../test/test-folder.ts'
import { words } from '../../../test/words.ts'
import { chainCommand, NAMES_FILE, readNames } from '../src/command.ts'
import { isFromFile, readEnvironment } from '../src/environment.ts'

const root = testFolder('environment')
const names = words('SUBTENSOR_ENDPOINT AFFINE_NETUID AFFINE_BUCKETS NODE_DEBUG')

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
    const lines = ['SUBTENSOR_ENDPOINT=local', 'AFFINE_NETUID=7', 'AFFINE_BUCKETS=b']
    vi.stubEnv('AFFINE_BUCKETS', 'mine')
    await read(...lines, 'NODE_DEBUG=http')
    expect(names.map(isFromFile)).toEqual([true, true, false, false])
    expect(process.env.NODE_DEBUG).toBeUndefined()
    expect(optionsOf()).toMatchObject({ network: 'local', netuid: 7, buckets: 'mine' })
  })

  it('is refused with its name and the number of an unreadable line, and sets nothing', async () => {
    const reading = read('AFFINE_NETUID=7', 'PATH=$x', 'export AFFINE_NETUID=8')
    await expect(reading).rejects.toThrow(/^\.env, line 3: expected /)
    expect(process.env.AFFINE_NETUID).toBeUndefined()
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
  it('has lower priority than options, and overrides .env even if a variable is empty', async () => {
    vi.stubEnv('SUBTENSOR_ENDPOINT', 'finney')
    vi.stubEnv('AFFINE_NETUID', '8')
    expect(optionsOf('--network', 'test')).toMatchObject({ network: 'test', netuid: 8 })
    vi.stubEnv('AFFINE_NETUID', '')
    await read('AFFINE_NETUID=7')
    expect(optionsOf()).not.toHaveProperty('netuid')
    expect(optionsOf('--netuid', '9')).toMatchObject({ network: 'finney', netuid: 9 })
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
