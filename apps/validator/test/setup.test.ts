import { execFile, spawnSync } from 'node:child_process'
import { chmod, mkdtemp, readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseEnv, stripVTControlCharacters } from 'node:util'
import { account } from '@affine/chain'
import { formatCommand, parseEnvFile } from '@affine/terminal'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Written } from '../../../packages/terminal/test/within.ts'
import { runAf } from '../../../test/in-process.ts'
import { AF } from '../../../test/processes.ts'
import { testFolder } from '../../../test/test-folder.ts'
import { findSettings } from '../src/settings/entries.ts'
import { formatEnvFile } from '../src/settings/env-file.ts'
import { createChain, parseRecords, serveGrowingChain, writeIn } from './commands.ts'
import { type S3Server, serveS3 } from './s3-server.ts'

const PTY = fileURLToPath(new URL('terminal.py', import.meta.url))
/** Whether Python can create a terminal. */
const HAS_PYTHON = spawnSync('python3', ['-c', 'import pty']).status === 0

const SEED = new Uint8Array(32).fill(7)
const { hotkey } = account(SEED)
const WALLET = ['--wallet', 'mine', '--hotkey', 'hot', '--wallet-path', '../wallets']

const root = testFolder('setup')
let served: Awaited<ReturnType<typeof serveGrowingChain>>
let s3: S3Server

beforeAll(async () => {
  const key = JSON.stringify({ secretSeed: Buffer.from(SEED).toString('hex') })
  await writeIn(root, key, 'wallets/mine/hotkeys/hot')
  const neurons = [{ hotkey, stake: 1_500_000_000_000n }]
  served = await serveGrowingChain(createChain({ time: Date.now(), neurons }))
  s3 = await serveS3()
})
afterAll(async () => {
  await served[Symbol.asyncDispose]()
  await s3[Symbol.asyncDispose]()
})

/** Creates an empty folder. */
const place = (): Promise<string> => mkdtemp(join(root, 'place-'))
const setUp = (cwd: string, words: readonly string[], env = {}): Promise<Written> =>
  runAf(['setup', ...words], { cwd, env })
/** Settings of a validator, without a bucket. */
const own = (): string[] => ['--network', served.url, '--folder', 'validator', ...WALLET]
const inFolder = (): string[] => [...own(), '--buckets', 'buckets']
/** Parses the written .env of a folder. */
const envIn = async (cwd: string) => parseEnv(await readFile(join(cwd, '.env'), 'utf8'))
const modeIn = async (cwd: string) => (await stat(join(cwd, '.env'))).mode & 0o777
const ACCOUNT = { BT_WALLET_COLD: 'mine', BT_WALLET_HOT: 'hot', BT_WALLET_PATH: '../wallets' }

describe.concurrent('af setup, without a terminal', () => {
  it('prints what is missing and how to set it, and writes nothing', async () => {
    const cwd = await place()
    const { code, stdout, stderr } = await setUp(cwd, ['--s3-bucket', 'bucket'])
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(
      /^✘ --network or SUBTENSOR_ENDPOINT: not given\n(✘ .*\n){5}✘ no hotkey: .*\n\(see --help\)\n$/,
    )
    const finney = [...inFolder(), '--network', 'finney']
    expect((await setUp(cwd, finney)).stderr).toContain('✘ CHUTES_API_KEY: not given')
    expect(await readdir(cwd)).toEqual([])
  })

  it('tests the settings, and writes .env with mode 0600', async () => {
    const cwd = await place()
    const { code, stdout, stderr } = await setUp(cwd, inFolder())
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/ disk +validator has [\d.]+ .B free and takes at most 5\.61 GB a day: /)
    for (const check of ['bucket write', 'bucket read', 'registered', 'permit'])
      expect(stdout).toMatch(new RegExp(`^ok ${check} `, 'm'))
    expect(stdout).toMatch(
      /^\.env is written, readable only by this user\. Next: (npx )?af validate$/m,
    )
    expect(await modeIn(cwd)).toBe(0o600)
    const places = { AFFINE_FOLDER: 'validator', AFFINE_BUCKETS: 'buckets' }
    expect(await envIn(cwd)).toEqual({ SUBTENSOR_ENDPOINT: served.url, ...ACCOUNT, ...places })
    const doctor = await runAf(['doctor'], { cwd })
    expect(doctor.stdout).toMatch(/^folder +validator +\.env +AFFINE_FOLDER$/m)
    expect(doctor.stdout).not.toContain(' settings ')
  })

  it('overwrites .env only with --overwrite, and keeps its other values', async () => {
    const cwd = await place()
    const file = await writeIn(cwd, 'AFFINE_METRICS=9464\nAFFINE_FOLDER=another\n', '.env')
    await chmod(file, 0o644)
    const refused = await setUp(cwd, inFolder())
    expect([refused.code, refused.stdout]).toEqual([2, ''])
    expect(refused.stderr).toMatch(/^af: \.env exists: edit it, .* --overwrite\n$/)
    expect(await readFile(file, 'utf8')).toContain('another')
    const overwritten = await setUp(cwd, [...inFolder(), '--overwrite', '--json'])
    expect(overwritten.code).toBe(0)
    const records = parseRecords(overwritten.stdout)
    const next = `${formatCommand('af')} validate`
    expect(records).toContainEqual(expect.objectContaining({ type: 'written', next }))
    expect(await modeIn(cwd)).toBe(0o600)
    const merged = { AFFINE_METRICS: '9464', AFFINE_FOLDER: 'validator' }
    expect(await envIn(cwd)).toMatchObject(merged)
    expect((await readdir(cwd)).sort()).toEqual(['.env', 'buckets'])
  })

  it('reads secrets from the environment, tests them, and prints none', async () => {
    const cwd = await place()
    const { S3_SECRET_ACCESS_KEY: secret = '', S3_ACCESS_KEY_ID: id = '' } = s3.variables
    const env = { ...s3.variables, CHUTES_API_KEY: 'cpk_of_mine' }
    const wrong = await setUp(cwd, own(), { ...env, S3_SECRET_ACCESS_KEY: 'wrong-one' })
    expect(wrong.code).toBe(4)
    expect(wrong.stdout).toMatch(/^✘ {2}bucket write cannot write .*status 403/m)
    expect(wrong.stderr).toMatch(/^af: \.env is not written: .* --anyway\n$/)
    const { code, stdout } = await setUp(cwd, own(), env)
    expect(code).toBe(0)
    for (const text of [wrong.stdout, stdout])
      for (const each of [secret, id, 'cpk_of_mine', 'wrong-one']) expect(text).not.toContain(each)
    expect(await envIn(cwd)).toMatchObject(env)
    const probe = await fetch(`${s3.url}/v1/probes/${hotkey}.json`)
    expect(await probe.json()).toEqual({ hotkey })
  })

  it('writes settings that fail a check only with --anyway', async () => {
    const cwd = await place()
    const stranger = await writeIn(root, 'ab'.repeat(32))
    const words = ['--network', served.url, '--folder', 'f', '--buckets', 'b', '--key', stranger]
    const { code, stdout, stderr } = await setUp(cwd, words)
    expect([code, stderr]).toEqual([4, expect.stringContaining('.env is not written')])
    expect(stdout).toMatch(/^✘ {2}registered .* register \w+ on subnet 7$/m)
    const forced = await setUp(cwd, [...words, '--anyway'])
    expect(forced.code).toBe(0)
    expect(forced.stdout).toMatch(/Next: (npx )?af validate\n/)
    expect(await readdir(cwd)).toContain('.env')
  })
})

/** Reads a value like systemd's `EnvironmentFile=`: systemd.exec(5), parse_env_file_internal. */
function systemdReads(text: string): string | undefined {
  const [, single] = /^'([^']*)'\s*$/.exec(text) ?? []
  const [, double] = /^"((?:[^"\\]|\\.)*)"\s*$/.exec(text) ?? []
  const value = single ?? double?.replace(/\\(["\\`$])/g, '$1')
  const read = value ?? text.trimEnd().replace(/\\(.)/g, '$1')
  // systemd omits values with control characters.
  return /\p{Cc}/u.test(read) ? undefined : read
}

/** Reads a value like Compose's `env_file`: the parser of compose-go, without expansion. */
function composeReads(text: string): string {
  const expand = (value: string): string => value.replace(/\$\{?\w+\}?/g, '')
  const [, quote, quoted = ''] = /^(['"])((?:(?!\1)[^\\]|\\.)*)\1/.exec(text) ?? []
  if (quote === "'") return quoted.replaceAll("\\'", "'")
  if (quote) return expand(quoted.replace(/\\(.)/g, '$1'))
  return /^['"]/.test(text) ? '' : expand(text.replace(/\s+#.*$/, '').trimEnd())
}

it('all programs read a line of .env identically for any value, or the value is rejected', () => {
  const unit = fc.oneof(fc.constantFrom(...'\'"`$\\#;={} \tnax'), fc.string({ unit: 'binary' }))
  const values = fc.array(unit, { minLength: 1 }).map((parts) => parts.join(''))
  const isSafe = (value: string): boolean => {
    let text: string
    try {
      text = formatEnvFile(findSettings({}, { AFFINE_FOLDER: value }))
    } catch (error) {
      return error instanceof RangeError
    }
    const [, after = ''] = /^AFFINE_FOLDER=\s*(.*)\n$/ms.exec(text) ?? []
    const read = [parseEnvFile(text), parseEnv(text)].map(({ AFFINE_FOLDER: value }) => value)
    const reads = [...read, systemdReads(after), composeReads(after)]
    return reads.every((read) => read === value)
  }
  const given = values.filter((value) => value.trim() !== '')
  fc.assert(fc.property(given, isSafe), { numRuns: 2000 })
})

describe.skipIf(!HAS_PYTHON)('af setup, in a terminal', () => {
  const wipe = '\u0015'
  const BUCKET = "Where is the validator's bucket?"
  /**
   * Runs `af setup` in a terminal. Types the second text of each step, and Enter, once the first is
   * shown. Resolves with the output and the exit code.
   */
  function answer(
    cwd: string,
    steps: readonly (readonly [string, (string | undefined)?])[],
    ...words: readonly string[]
  ): Promise<{ readonly code: number | null; readonly shown: string }> {
    const typed = steps.map(([shown, text = '']) => [shown, `${text}\r`])
    const program = [process.execPath, AF, 'setup', '--wallet-path', '../wallets', ...words]
    const place = { cwd, env: { ...process.env, TERM: 'xterm', CI: '' }, timeout: 600_000 }
    return new Promise((resolve) => {
      const line = [PTY, JSON.stringify(typed), ...program]
      const child = execFile('python3', line, place, (_, stdout) =>
        resolve({ code: child.exitCode, shown: stripVTControlCharacters(stdout) }),
      )
    })
  }

  it('asks for the required settings, rejects bad values, shows no secret, and proposes current values', async () => {
    const cwd = await place()
    const { S3_ENDPOINT, S3_ACCESS_KEY_ID: id, S3_SECRET_ACCESS_KEY: secret } = s3.variables
    const { code, shown } = await answer(cwd, [
      ['network: ', served.url],
      ['wallet: ', 'nobody'],
      ['does not exist', `${wipe}mine`],
      ['hotkey: ', 'hot'],
      ['folder: '],
      [BUCKET],
      ['s3-endpoint: ', S3_ENDPOINT],
      ['s3-bucket: ', 'Two Words'],
      ['expected 3 to 63 of a-z', `${wipe}bucket`],
      ['s3-access-key-id: ', id],
      ['s3-secret-access-key: ', secret],
      ['s3-region: '],
      ['bucket-url: ', s3.url],
    ])
    expect(shown).toContain('.env is written')
    expect(code).toBe(0)
    for (const each of [id, secret]) expect(shown).not.toContain(each)
    const { AFFINE_BUCKETS: _, ...rest } = await envIn(cwd)
    const defaults = { AFFINE_FOLDER: 'validator', S3_REGION: 'auto' }
    const chain = { SUBTENSOR_ENDPOINT: served.url }
    expect(rest).toEqual({ ...chain, ...ACCOUNT, ...defaults, ...s3.variables })

    // Enter keeps each current value, also of a secret.
    const names = ['network', 'wallet', 'hotkey', 'folder', BUCKET, 's3-endpoint', 's3-bucket']
    const others = ['Enter keeps', 's3-secret-access-key', 's3-region', 'bucket-url']
    const steps = [...names, ...others].map((shown) => [shown] as const)
    expect((await answer(cwd, steps, '--overwrite')).code).toBe(0)
    expect(await envIn(cwd)).toMatchObject(rest)
  })
})
