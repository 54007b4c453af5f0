import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { inspect } from 'node:util'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import * as polkadot from '@polkadot/util-crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type RefusalCase, refusalLines } from '../../../test/refusals.ts'
import { testFolder } from '../../../test/test-folder.ts'
import vectors from '../../../vectors/chain/accounts.json' with { type: 'json' }
import { accountFrom, readHotkey, readWallet } from '../src/bittensor/wallet.ts'
import { account, verify } from '../src/index.ts'

const PHRASE = 'old leopard transfer rib spatial phone calm indicate online fire caution review'
const HOTKEY = '5HDvhV6WDCjCKyrXqGQSDYqQAzkzabNhctmiDYEqgBC66BsX'
const PRIVATE =
  '1f1995bdf3a17b60626a26cfe6f564b337d46056b7a1281b64c649d592ccda0a9cffd34d9fb01cae1fba61aeed184c817442a2186d5172416729a4b54dd4b84e'
const SEED = 'c0ffee11'.repeat(8)
const ALICE = '5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY'

const root = testFolder('wallets')

/** Writes a file with this content and mode. Resolves with its path. */
async function fileOf(content: unknown, path = 'key', mode = 0o600): Promise<string> {
  const file = join(root, path)
  await mkdir(dirname(file), { recursive: true })
  await rm(file, { force: true })
  const bytes =
    typeof content === 'string' || content instanceof Uint8Array ? content : JSON.stringify(content)
  await writeFile(file, bytes)
  await chmod(file, mode)
  return file
}

describe('an account from a secret', () => {
  test.each([
    ['e5be9a5092b81bca64be81d212e7f2f9eba183bb7a90954f7b76361f6edb5c0a', ALICE],
    ['0xE5BE9A5092B81BCA64BE81D212E7F2F9EBA183BB7A90954F7B76361F6EDB5C0A', ALICE],
    [PHRASE, HOTKEY],
    [` ${PHRASE}\r\n`, HOTKEY],
    [`0x${PRIVATE}`, HOTKEY],
  ])('has the hotkey of the secret %j', (secret, hotkey) => {
    const signer = accountFrom(secret)
    expect(signer.hotkey).toBe(hotkey)
    const message = Uint8Array.of(1, 2, 3)
    expect(verify(message, signer.sign(message), hotkey)).toBe(true)
    expect(accountFrom(secret).sign(message)).toEqual(signer.sign(message))
  })

  test.each(vectors.ed25519)('signs with $seed in Ed25519', ({ seed, ...want }) => {
    const signer = accountFrom(seed, 'it', 'ed25519')
    expect(signer.hotkey).toBe(want.hotkey)
    expect(bytesToHex(signer.sign(hexToBytes(want.message)))).toBe(want.signature)
  })

  test('equals the account of polkadot.js', async () => {
    await polkadot.cryptoWaitReady()
    const { sr25519PairFromSeed: sr25519, ed25519PairFromSeed: ed25519 } = polkadot
    const pairsFrom = { sr25519, ed25519 }
    const count = fc.constantFrom(12, 15, 18, 21, 24)
    fc.assert(
      fc.property(count, fc.constantFrom('sr25519', 'ed25519'), (count, scheme) => {
        const words = polkadot.mnemonicGenerate(count as 12)
        const { publicKey } = pairsFrom[scheme](polkadot.mnemonicToMiniSecret(words))
        const hotkey = polkadot.encodeAddress(publicKey, 42)
        expect(accountFrom(words, 'it', scheme).hotkey).toBe(hotkey)
      }),
      { numRuns: 30 },
    )
  })

  const secrets: [string, string, 'ed25519'?][] = [
    ['nothing', ''],
    ['blanks', ' \n'],
    ['a word that is none', PHRASE.replace('leopard', 'leopart')],
    ['a wrong checksum', PHRASE.replace('leopard', 'transfer')],
    ['a blank too many', PHRASE.replace(' ', '  ')],
    ['11 words', PHRASE.replace('old ', '')],
    ['63 digits', SEED.slice(1)],
    ['65 digits', `${SEED}0`],
    ['96 digits', SEED + SEED.slice(32)],
    ['a private key of 0', '00'.repeat(64)],
    ['a private key too high', 'ff'.repeat(64)],
    ['a path alone', '/home/leopard/key'],
    ['a derivation', `${SEED}//leopard`],
    ['a password', `${PHRASE}///leopard`],
    ['no text', undefined as unknown as string],
    ['Ed25519: a private key of sr25519', PRIVATE, 'ed25519'],
    ['Ed25519: 63 digits', SEED.slice(1), 'ed25519'],
  ]
  test('is refused without quoting the secret', async () => {
    const cases = secrets.map(([name, secret, scheme]): RefusalCase => {
      return [name, silent(() => accountFrom(secret, scheme && 'it', scheme))]
    })
    const lines = await refusalLines(cases)
    await expect(lines).toMatchFileSnapshot('snapshots/secrets.txt')
  })
})

/** Wraps `act`, and checks that its error does not quote a secret. */
const silent = (act: () => unknown) => async () => {
  try {
    return await act()
  } catch (error) {
    expectSilent(error)
    throw error
  }
}

/** Checks that the error contains no part of the secrets in this file. */
function expectSilent(error: unknown): void {
  const { message, stack, cause } = error as Error
  const seen = [message, stack, inspect(error, { depth: null, showHidden: true })]
  expect(cause).toBeUndefined()
  expect(seen.join('\n')).not.toMatch(
    /c0ffee|ffee11|1f1995|leopar|transf|spatia|indica|cautio|online/i,
  )
}

const PUBLIC = '0xe4359ad3e2716c539a1d663ebd0a51bdc5c98a12e663bb4c4402db47828c9446'
const whole = {
  accountId: PUBLIC,
  publicKey: PUBLIC,
  privateKey: `0x${PRIVATE}`,
  secretPhrase: PHRASE,
  secretSeed: '0xda3cf5b1e9144931a0f0db65664aab662673b099415a7f8121b7245fb0be4143',
  ss58Address: HOTKEY,
  cryptoType: 1,
}

const EDWARDS = '0xf90bc712b5f2864051353177a9d627605d4bf7ec36c7df568cfdcea9f237c185'
/** The file of bittensor-wallet 4.1.1 for an Ed25519 key of the same phrase. */
const edwards = {
  ...whole,
  accountId: EDWARDS,
  publicKey: EDWARDS,
  privateKey: whole.secretSeed,
  ss58Address: '5HhFH9GvwCST4kRVoFREE7qDJcjYteR5unhQCrBGhhGuRgNb',
  cryptoType: 0,
}

describe('a hotkey file', () => {
  const withoutPhrase = { secretPhrase: null }
  const ofUri = { secretPhrase: undefined, secretSeed: undefined }
  test.each<[string, unknown, string, string?]>([
    ['as btwallet writes it', whole, HOTKEY],
    ['as btwallet used to', { ...whole, cryptoType: undefined, privateKey: undefined }, HOTKEY],
    ['made from a seed', { ...whole, ...withoutPhrase }, HOTKEY],
    ['made from a secret URI', { ...whole, ...ofUri }, HOTKEY],
    ['without its address', { secretPhrase: PHRASE }, HOTKEY],
    ['with a byte order mark', `\ufeff${JSON.stringify(whole)}\r\n`, HOTKEY],
    ['of Ed25519', edwards, edwards.ss58Address, 'ed25519'],
    ['of Ed25519, from a seed', { ...edwards, ...withoutPhrase }, edwards.ss58Address, 'ed25519'],
    ['of Ed25519, from a URI', { ...edwards, ...ofUri }, edwards.ss58Address, 'ed25519'],
    ...[SEED, `${SEED}\n`, `0x${SEED}`, SEED.toUpperCase()].map(
      (seed): [string, string, string] => [
        `only a seed: ${JSON.stringify(seed)}`,
        seed,
        account(hexToBytes(SEED)).hotkey,
      ],
    ),
  ])('is read: %s', async (_, content, hotkey, scheme = 'sr25519') => {
    const { account, warning } = await readHotkey(await fileOf(content))
    expect([account.hotkey, account.scheme, warning]).toEqual([hotkey, scheme, undefined])
  })

  const encoding = { content: ['pkcs8', 'sr25519'], type: ['scrypt', 'xsalsa20-poly1305'] }
  const wrong: [string, unknown][] = [
    ['nothing', ''],
    ['a phrase alone', PHRASE],
    ['63 digits', SEED.slice(1)],
    ['two seeds', `${SEED}\n${SEED}`],
    ['a seed in quotes', `"${SEED}"`],
    ['a seed as 32 bytes', new Uint8Array(32).fill(0xc0)],
    ['JSON cut short', JSON.stringify(whole).slice(0, -40)],
    ['JSON and more', `${JSON.stringify(whole)} ${SEED}`],
    ['a list', [whole]],
    ['null', 'null'],
    ['a secret as list', { ...whole, secretPhrase: [PHRASE] }],
    ['sr25519 called Ed25519', { ...whole, cryptoType: 0 }],
    ['an ECDSA key', { ...whole, cryptoType: 2 }],
    ['NaCl encryption', Buffer.from(`$NACL${SEED}\xff\0\x80`, 'latin1')],
    ['Fernet encryption', `gAAAAAB${SEED}`],
    ['Ansible encryption', `$ANSIBLE_VAULT;1.1;AES256\n${SEED}`],
    ['a public key alone', { publicKey: whole.publicKey, ss58Address: HOTKEY }],
    ['only empty secrets', { secretPhrase: '', ss58Address: HOTKEY }],
    ['polkadot.js’s JSON', { address: HOTKEY, encoded: SEED, encoding, meta: {} }],
    ['polkadot.js’s JSON of many', { accounts: [], encoded: SEED, encoding }],
    ['an inherited secret', `{"__proto__":${JSON.stringify(whole)}}`],
    ['the address of another', { ...whole, ss58Address: ALICE }],
    ['a secret as address', { ...whole, ss58Address: SEED }],
    ['more than a hotkey has', JSON.stringify(whole) + ' '.repeat(20_000)],
    ['a phrase of eleven words', { ...whole, secretPhrase: PHRASE.slice(4) }],
    ['a seed of another length', { secretSeed: `0x${SEED}0` }],
    ['a private key without seed', { privateKey: `0x${'c0ffee'.repeat(21)}ff` }],
  ]
  test('is refused without quoting its content', async () => {
    const [pipe, socket] = [join(root, 'pipe'), join(root, 'socket')]
    execFileSync('mkfifo', [pipe])
    const server = createServer().listen(socket)
    await once(server, 'listening')
    const coldkey = await fileOf(whole, 'cold/coldkey')
    const [link, called] = [join(root, 'link'), join(root, 'linked', 'coldkey')]
    await symlink(coldkey, link)
    await mkdir(dirname(called))
    await symlink(await fileOf(whole), called)
    const paths = [root, pipe, socket, '/dev/zero', '/dev/null', join(root, 'nowhere')]
    const coldkeys = [coldkey, link, called, join(root, 'cold', 'COLDKEY')]
    const reading = (content: unknown) => silent(async () => readHotkey(await fileOf(content)))
    const lines = await refusalLines([
      ...wrong.map(([name, content]): RefusalCase => [name, reading(content)]),
      ...[...paths, ...coldkeys].map((path): RefusalCase => [path, silent(() => readHotkey(path))]),
    ])
    server.close()
    await expect(lines.replaceAll(root, '<wallets>')).toMatchFileSnapshot('snapshots/hotkeys.txt')
  })

  test('is read or refused, and never quoted, after any change', async () => {
    const secrets = { secretPhrase: PHRASE, secretSeed: SEED, privateKey: PRIVATE }
    const text = JSON.stringify({ ...secrets, ss58Address: HOTKEY })
    const at = fc.nat(text.length)
    await fc.assert(
      fc.asyncProperty(at, at, fc.string({ maxLength: 2 }), async (from, to, put) => {
        const file = await fileOf(text.slice(0, from) + put + text.slice(to))
        const result = await readHotkey(file).catch((error: unknown) => error)
        if (!(result instanceof Error)) return
        expect(result).toBeInstanceOf(RangeError)
        expect(result.message).toContain(file)
        expectSilent(result)
      }),
    )
  })

  test.each(['640', '604', '644'])('is read with a warning if its mode is %s', async (mode) => {
    const file = await fileOf(whole, 'key', Number.parseInt(mode, 8))
    const { account, warning } = await readHotkey(file)
    expect(account.hotkey).toBe(HOTKEY)
    expect(warning).toMatch(`${file} can be read by others on this machine: chmod 600 ${file}`)
  })
})

test('reads a wallet without its coldkey', async () => {
  await fileOf(whole, 'miner one/hotkeys/default')
  await fileOf(whole, 'miner one/coldkey', 0o000)
  const { account, warning } = await readWallet({ wallet: 'miner one', hotkey: 'default', root })
  expect([account.hotkey, warning]).toEqual([HOTKEY, undefined])
})
