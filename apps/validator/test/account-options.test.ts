import { join } from 'node:path'
import { account } from '@affine/chain'
import { Command } from '@commander-js/extra-typings'
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { testFolder } from '../../../test/test-folder.ts'
import { addAccountOptions, readAccount, readValidatorAccount } from '../src/service/account.ts'
import { writeIn } from './commands.ts'

const MARK = 'c0ffee'

/** Returns the seed of the key in a place, such as FILE. `hotkeyOf` returns the key's address. */
const seed = (place: number) => `${MARK}${place}0`.repeat(8)
const hotkeyOf = (place: number) => account(Buffer.from(seed(place), 'hex')).hotkey
const [FILE, NAMED, SECRET, DEFAULT, STORED] = [1, 2, 3, 4, 5] as const

const root = testFolder('accounts')
const [file, stored] = [join(root, 'key'), join(root, 'stored')]

beforeAll(async () => {
  await writeIn(root, seed(FILE), 'key')
  await writeIn(root, seed(STORED), 'stored')
  for (const [wallet, place] of Object.entries({ named: NAMED, default: DEFAULT }))
    for (const name of [place, 'default'])
      await writeIn(root, JSON.stringify({ secretSeed: seed(place) }), `${wallet}/hotkeys/${name}`)
})

beforeEach(() => {
  const wallets = ['COLD', 'HOT', 'NAME', 'HOTKEY', 'PATH'].map((name) => `BT_WALLET_${name}`)
  for (const name of ['AFFINE_HOTKEY', 'AFFINE_KEY', ...wallets]) vi.stubEnv(name, '')
})
afterEach(() => vi.unstubAllEnvs())

const uses = (place: number) => ({ hotkey: hotkeyOf(place), warnings: [] })
/** Returns the hotkey that a command with these arguments uses, and the command's warnings. */
async function parsed(...args: string[]) {
  const warnings: string[] = []
  const options = addAccountOptions(new Command('test'))
    .parse(['--wallet-path', root, ...args], { from: 'user' })
    .opts()
  const { hotkey } = await readAccount(options, (text) => warnings.push(text))
  return { hotkey, warnings }
}

function stubAll(secret = seed(SECRET)) {
  vi.stubEnv('AFFINE_HOTKEY', secret)
  vi.stubEnv('BT_WALLET_COLD', 'default')
  vi.stubEnv('BT_WALLET_HOT', `${DEFAULT}`)
}

it('prefers --key, then --wallet, AFFINE_HOTKEY, AFFINE_KEY and BT_WALLET_COLD, in this order', async () => {
  const named = ['--wallet', 'named', '--hotkey', `${NAMED}`]
  stubAll()
  vi.stubEnv('AFFINE_KEY', stored)
  expect(await parsed('--key', file, ...named)).toEqual(uses(FILE))
  expect(await parsed(...named)).toEqual(uses(NAMED))
  expect(await parsed()).toEqual(uses(SECRET))
  vi.stubEnv('AFFINE_HOTKEY', '')
  expect(await parsed()).toEqual(uses(STORED))
  vi.stubEnv('AFFINE_KEY', '')
  expect(await parsed()).toEqual(uses(DEFAULT))
})

it('rejects a wallet or a hotkey that does not exist, and names it', async () => {
  for (const line of ['--wallet none', '--wallet named --hotkey none'])
    await expect(parsed(...line.split(' '))).rejects.toThrow(/none\S* does not exist/)
})

it.each([
  ['a wallet', {}, ['--wallet', 'named'], NAMED],
  ['a hotkey', {}, ['--hotkey', `${DEFAULT}`], DEFAULT],
  ['a wallet in the environment', { BT_WALLET_COLD: 'default' }, [], DEFAULT],
  ['a hotkey in the environment', { BT_WALLET_HOT: `${DEFAULT}` }, [], DEFAULT],
  ['a wallet and a secret', { AFFINE_HOTKEY: seed(SECRET) }, ['--wallet', 'named'], NAMED],
] as const)('uses `default` for the missing name, given only %s', async (...[, env, args, who]) => {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
  expect(await parsed(...args)).toEqual(uses(who))
})

it('rejects a bad secret without quoting it or trying another source', async () => {
  stubAll(`${seed(SECRET)}0`)
  const error = await parsed().catch((error: unknown) => error)
  expect(String(error)).toMatch(/^RangeError: AFFINE_HOTKEY expected /)
  const { stack, cause } = error as Error
  expect(`${stack}${cause}`).not.toContain(MARK)
})

it('reads the variables of btcli', async () => {
  vi.stubEnv('BT_WALLET_NAME', 'named')
  vi.stubEnv('BT_WALLET_HOTKEY', String(NAMED))
  vi.stubEnv('BT_WALLET_PATH', root)
  expect((await readAccount({}, () => {})).hotkey).toBe(hotkeyOf(NAMED))
})

it('rejects an Ed25519 key for a validator, whose evidence it cannot sign', async () => {
  const key = await writeIn(root, JSON.stringify({ secretSeed: seed(FILE), cryptoType: 0 }))
  await expect(readValidatorAccount({ key }, () => {})).rejects.toThrow(/is an Ed25519 key, /)
  expect((await readValidatorAccount({ key: file }, () => {})).hotkey).toBe(hotkeyOf(FILE))
})
