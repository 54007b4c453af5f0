import { randomUUID } from 'node:crypto'
import { readFile, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { directoryBucket } from '@affine/blocks/directory'
import { type Account, account, ed25519Account, encodeCommitment, LocalChain } from '@affine/chain'
import { exchange, NODE_CALLER } from '@affine/miners/node'
import { stripTones } from '@affine/report'
import { SYSTEM_CLOCK } from '@affine/settlement'
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { accountWith, type Handle, plays, serve } from '../../../packages/miners/test/servers.ts'
import { testFolder } from '../../../test/test-folder.ts'
import { closeServers } from '../../../test/web-server.ts'
import { doctor } from '../src/commands/doctor.ts'
import { FINDINGS, type Finding, printFinding } from '../src/examination/findings.ts'
import { checkDisks } from '../src/examination/own-checks.ts'
import {
  createChain,
  findUnprintable,
  playOnly,
  putOnChutes,
  recordScreen,
  runCommand,
  writeIn,
} from './commands.ts'
import { serveOddS3, serveS3 } from './s3-server.ts'

const accounts = Array.from({ length: 6 }, (_, i) => account(new Uint8Array(32).fill(i + 1)))
const [validator, poor, miner, rich, empty, stranger] = accounts as [
  ...[Account, Account, Account, Account, Account, Account],
]
/** The secret seed of an Ed25519 key, whose account is `edwards`. */
const SEED = 'ed'.repeat(32)
const edwards = ed25519Account(Buffer.from(SEED, 'hex'))
const STAKES = [1_500_000_000_000n, 5n, 0n, 2_000_000_000_000n, 0n]
const HASH = 'ab'.repeat(32)
const REVISION = 'ab'.repeat(20)
const seal = (url: string): Uint8Array[] =>
  encodeCommitment({ kind: 'seal', epoch: 4, head: HASH, url })
const minerOf = ({ hotkey }: Account, chute = 'c'): Uint8Array[] =>
  encodeCommitment({ kind: 'miner', model: `me/${hotkey}`, revision: REVISION, chute })

/** Values for the fields of all findings. */
const FIELDS = {
  ...{ netuid: 7, block: 1200, seconds: 3, genesis: HASH, hotkey: '5Hotkey', uid: 4 },
  ...{ message: '<message>', fault: '<fault>', tao: '1.5' },
  problems: '<option>: <detail>; <detail>',
  ...{ kind: 'seal', says: { epoch: 4 }, blocks: 900, folder: '<folder>', days: 9, ms: 250 },
  ...{ freeBytes: 9e9, dayBytes: 1e9, dollars: '1.50', balance: 0, status: 401, aheadMs: -7000 },
  ...{ roles: ['subnet_admin'], netuids: [1], path: '<path>', url: '<url>', chute: '<chute>' },
  ...{ text: '<text>', count: 3, env: 'mult8@0.1.0', challenges: 8 },
  ...{ asked: 8, usable: 7, legal: 6, right: 5 },
}

const root = testFolder('doctor')

afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})
afterAll(closeServers)

const fileOf = (text: string, name?: string): Promise<string> => writeIn(root, text, name)
/** The option with which `af doctor` examines an account as a validator. */
const VALIDATING = ['--folder', join(root, 'folder')]
const buckets = (name: string): string[] => ['--buckets', join(root, name)]

type Slots = readonly (readonly [Account, readonly Uint8Array[]])[]

/** Creates a chain with these commitments and `blocks` more blocks, created `age` seconds ago. */
async function chainWith(slots: Slots, { age = 5, blocks = 0 } = {}): Promise<LocalChain> {
  const neurons = STAKES.map((stake, i) => ({ hotkey: accounts[i]?.hotkey ?? '', stake }))
  neurons.push({ hotkey: edwards.hotkey, stake: 0n })
  const time = Date.now() - age * 1000
  const chain = createChain({ time, neurons })
  const sent = slots.map(([account, fields]) => chain.commit(account, fields))
  await chain.produce(time)
  await Promise.all(sent)
  for (let i = 0; i < blocks; i++) await chain.produce(time)
  return chain
}

/** Runs `af doctor`. Resolves with the results by check, the findings by code, and the output. */
async function examine(who: Account, network: LocalChain | string, ...words: readonly string[]) {
  const secretSeed = Buffer.alloc(32, accounts.indexOf(who) + 1).toString('hex')
  const isEdwards = who.scheme === 'ed25519'
  const key = isEdwards ? JSON.stringify({ secretSeed: SEED, cryptoType: 0 }) : secretSeed
  const where = typeof network === 'string' ? network : await fileOf(network.export())
  const args = ['--network', where, '--key', await fileOf(key), '--json', ...words]
  const { records, stdout, exitCode, error } = await runCommand(doctor, ...args)
  const checks = records.filter(({ type }) => type === 'check')
  const results = Object.fromEntries(checks.map(({ check, result }) => [check, result]))
  const found: Record<string, Record<string, unknown> | undefined> = Object.fromEntries(
    checks.map((record) => [record.code, record]),
  )
  expect([error, findUnprintable(checks.map(({ text }) => text).join(''))]).toEqual([undefined, []])
  expect(exitCode).toBe(checks.some(({ result }) => result === 'fail') ? 1 : undefined)
  return { results, found, stdout }
}

it('af doctor reports no failure for a working validator', async () => {
  const network = await chainWith([[validator, seal('alices')]])
  const own = [...VALIDATING, ...buckets('buckets')]
  const { results, found } = await examine(validator, network, ...own)
  // The check of the disk is left out, because this machine's disk may be full.
  const { disk: _, ...others } = results
  expect(new Set(Object.values(others))).toEqual(new Set(['ok']))
  expect(Object.keys(results).join()).toBe(
    'chain,clock,disk,bucket write,bucket keeps,bucket read,' +
      'registered,permit,stake,commitment,last weights',
  )
  const path = `v1/probes/${validator.hotkey}.json`
  expect(found).toMatchObject({
    CHAIN: { netuid: 7, block: 1 },
    WRITTEN: { path },
    KEPT: { path },
    PROBE: { path, url: validator.hotkey },
    REGISTERED: { hotkey: validator.hotkey, uid: 0 },
    PERMIT: {},
    STAKE: { tao: '1500.000000000' },
    SLOT: { block: 1, kind: 'seal', says: { epoch: 4, head: HASH, url: 'alices' } },
    WEIGHTS_SET: { blocks: 1 },
  })
  const written = join(root, 'buckets', validator.hotkey, path)
  expect(await readFile(written, 'utf8')).toBe(`{"hotkey":"${validator.hotkey}"}`)
})

it('af doctor shows a committed miner only its own checks', async () => {
  // With this long limit, replies are in time on a busy machine.
  const patient: typeof exchange = (query) => exchange({ ...query, replyMs: 600_000 })
  vi.spyOn(NODE_CALLER, 'exchange').mockImplementation(patient)
  const { url, seen } = await serve((index, request, response, body) =>
    plays(request, response, index, body),
  )
  const network = await chainWith([[miner, minerOf(miner, url)]])
  playOnly(network, 'mult8@0.1.0')
  const { results, found } = await examine(miner, network)
  expect(found).toMatchObject({
    SLOT: { kind: 'miner' },
    ANSWER: { chute: url },
    REPLIES: { challenges: 8, right: 8 },
  })
  expect(JSON.parse(seen[0]?.body ?? '').model).toBe(`me/${miner.hotkey}`)
  expect(new Set(Object.values(results))).toEqual(new Set(['ok']))
  expect(Object.keys(results).join()).toBe('chain,clock,registered,commitment,answer,replies')
})

it('af doctor rejects an Ed25519 key for a validator, but not for a miner', async () => {
  const validates = await examine(edwards, await chainWith([]), ...VALIDATING)
  expect(validates.found.WRONG_KEY).toMatchObject({ result: 'fail', hotkey: edwards.hotkey })
  const mines = await examine(edwards, await chainWith([[edwards, minerOf(edwards)]]))
  expect(mines.found).not.toHaveProperty('WRONG_KEY')
  expect(mines.found.SLOT).toMatchObject({ kind: 'miner' })
})

it('af doctor reports an unregistered hotkey, and checks neither its permit nor its commitment', async () => {
  const { results, found } = await examine(stranger, await chainWith([]))
  const chain = { chain: 'ok', clock: 'ok' }
  expect(results).toEqual({ ...chain, settings: 'warn', registered: 'fail' })
  expect(found.NOT_REGISTERED).toMatchObject({ hotkey: stranger.hotkey, netuid: 7 })
})

it.each([
  [-30, 'fail'],
  [0, 'ok'],
  [100, 'ok'],
  [200, 'fail'],
])('af doctor rates a newest block that is %i s old as %s', async (age, want) => {
  const { results } = await examine(validator, await chainWith([], { age }))
  expect(results.clock).toBe(want)
})

it('af doctor requires a permit of a validator, but not of a miner', async () => {
  const network = await chainWith([[rich, minerOf(rich)]])
  const low = { permit: 'fail', stake: 'ok', commitment: 'warn' }
  expect((await examine(poor, network)).results).toMatchObject(low)
  const own = await examine(empty, network, ...VALIDATING)
  expect(own.results).toMatchObject({ permit: 'fail', stake: 'warn' })
  const mining = await examine(empty, network)
  expect(Object.keys(mining.results)).toEqual(['chain', 'clock', 'registered', 'commitment'])
  const high = await examine(rich, network)
  expect(high.results).not.toHaveProperty('permit')
  expect(high.results.commitment).toBe('ok')
  expect(high.found.NO_ANSWER).toMatchObject({ chute: 'c', reason: 'deployment' })
})

it('af doctor warns without a commitment, and fails for an unreadable one without a permit', async () => {
  const hostile = new TextEncoder().encode('\u001b[2J\u202eme')
  const network = await chainWith([
    [miner, minerOf(rich)],
    [poor, [hostile]],
    [validator, [hostile]],
  ])
  const copied = await examine(miner, network)
  expect(copied.results).toMatchObject({ commitment: 'fail' })
  const text = [`me/${rich.hotkey}`, REVISION, 'c']
  expect(copied.found.SLOT_UNREADABLE).toMatchObject({ block: 1, says: { text } })
  expect((await examine(poor, network)).results.commitment).toBe('fail')
  // A running validator with a permit overwrites an unreadable commitment.
  expect((await examine(validator, network)).results.commitment).toBe('warn')
  const none = await examine(rich, network)
  expect(none.found).toMatchObject({ SLOT_FREE: {} })
})

it.each([
  [59, 'ok'],
  [60, 'warn'],
])('af doctor rates weights that were set %i blocks ago as %s', async (blocks, want) => {
  const { results } = await examine(validator, await chainWith([], { blocks }))
  expect(results['last weights']).toBe(want)
})

it('af doctor reports missing settings, as a failure if a folder is named', async () => {
  const network = await chainWith([])
  const bare = await examine(validator, network)
  expect(bare.found.SETTINGS_MISSING?.problems).toMatch(
    /^--folder .*: not given; the bucket: [^;]*$/,
  )
  vi.stubEnv('S3_SECRET_ACCESS_KEY', 'a secret of mine')
  const half = await examine(validator, network, ...VALIDATING)
  expect([bare.results.settings, half.results.settings]).toEqual(['warn', 'fail'])
  expect(half.stdout).toContain('--s3-endpoint or S3_ENDPOINT or R2_ACCOUNT_ID: not given')
  expect(half.stdout).not.toContain('secret of mine')
})

it('af doctor reports what the runtime lacks', async () => {
  const network = await chainWith([])
  // A local chain has no runtime, so it is added.
  const examineWith = (faults: readonly string[]) => {
    Object.assign(LocalChain.prototype, { runtimeFaults: async () => faults })
    return examine(validator, network)
  }
  const { results } = await examineWith([])
  expect(results.runtime).toBe('ok')
  const lacking = await examineWith(['no setWeights'])
  Reflect.deleteProperty(LocalChain.prototype, 'runtimeFaults')
  expect(lacking.found.RUNTIME_LACKS).toMatchObject({ result: 'fail', fault: 'no setWeights' })
})

it('af doctor reports only that the chain is unreachable, if it is', async () => {
  const { results, found } = await examine(validator, 'http://127.0.0.1:1')
  expect(results).toEqual({ chain: 'fail' })
  expect(found.CHAIN_FAILS).toMatchObject({ error: 'Unreachable' })
})

it('af doctor prints the first reason to refuse a source, and reads only a regular file up to 1 MiB', async () => {
  const path = await fileOf('import requests\n')
  const refused = await runCommand(doctor, '--source', path, '--json')
  expect([refused.error, refused.exitCode]).toEqual([undefined, 1])
  const refusal = expect.stringMatching(/^line 1: .*ast\.unparse.*"import requests"$/)
  expect(refused.records).toMatchObject([{ type: 'source', path, refusal }])
  const large = await fileOf('#'.repeat(2 ** 20 + 1))
  for (const wrong of [`${path}-that-is-not-there`, root, large])
    expect((await runCommand(doctor, '--source', wrong)).error).toBeInstanceOf(RangeError)
})

describe('a bucket in S3', () => {
  /** The pauses between reads, in milliseconds. In these tests they end immediately. */
  const pauses: number[] = []
  beforeEach(() => {
    pauses.length = 0
    const now = () => pauses.reduce((sum, ms) => sum + ms, 0)
    vi.spyOn(SYSTEM_CLOCK, 'now').mockImplementation(now)
    vi.spyOn(SYSTEM_CLOCK, 'after').mockImplementation((ms, wake) => {
      pauses.push(ms)
      const soon = setImmediate(wake)
      return () => clearImmediate(soon)
    })
  })
  /** Returns the findings about a bucket with the settings of these variables. */
  async function examineBucket(variables: Readonly<Record<string, string>>) {
    const network = await chainWith([[validator, seal(`${variables.AFFINE_BUCKET_URL}`)]])
    for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value)
    const { results, found, stdout } = await examine(validator, network, ...VALIDATING)
    expect(stdout).not.toContain(variables.S3_SECRET_ACCESS_KEY)
    const { 'bucket write': write, 'bucket keeps': keeps, 'bucket read': read } = results
    return { write, keeps, read, found }
  }
  const WELL = { write: 'ok', keeps: 'ok', read: 'ok' }
  const path = `v1/probes/${validator.hotkey}.json`

  it('can be written and read, and refuses to overwrite; reports a wrong key and a wrong URL', async () => {
    await using server = await serveS3()
    const { variables, url } = server
    expect(await examineBucket(variables)).toMatchObject(WELL)
    expect(await (await fetch(`${url}/${path}`)).json()).toEqual({ hotkey: validator.hotkey })

    const locked = await examineBucket({ ...variables, S3_SECRET_ACCESS_KEY: 'another-secret' })
    expect(locked).toMatchObject({ write: 'fail', keeps: undefined, read: undefined })
    expect(locked.found.NOT_WRITTEN).toMatchObject({ error: expect.stringContaining('403') })
    const elsewhere = `${url}/elsewhere`
    const lost = await examineBucket({ ...variables, AFFINE_BUCKET_URL: elsewhere })
    expect(lost).toMatchObject({ ...WELL, read: 'fail' })
    expect(lost.found.PROBE_MISSING).toMatchObject({ path, url: elsewhere })
    const other = await serve((_, __, response) => response.end('{"hotkey":"another"}'))
    const foreign = await examineBucket({ ...variables, AFFINE_BUCKET_URL: other.url })
    expect(foreign).toMatchObject({ ...WELL, read: 'fail' })
    expect(foreign.found.PROBE_OTHER).toMatchObject({ path, url: other.url })
  })

  it('fails the check if it overwrites a file, which is then restored', async () => {
    await using odd = await serveOddS3({ overwrites: true })
    const { variables } = odd
    const wanted = { ...WELL, keeps: 'fail', found: { NOT_KEPT: { path } } }
    expect(await examineBucket(variables)).toMatchObject(wanted)
    const restored = await fetch(`${variables.AFFINE_BUCKET_URL}/${path}`)
    expect(await restored.json()).toEqual({ hotkey: validator.hotkey })
  })

  it('is written again after a write that may succeed later', async () => {
    await using odd = await serveOddS3({ refusals: 1 })
    expect(await examineBucket(odd.variables)).toMatchObject(WELL)
  })

  it('is read repeatedly at a stale public URL, for at most 20 seconds', async () => {
    for (const status of [404, 403]) {
      pauses.length = 0
      await using odd = await serveOddS3({ late: { status, reads: 2 } })
      expect(await examineBucket(odd.variables)).toMatchObject(WELL)
      expect(pauses).toEqual([1000, 2000])
    }
    pauses.length = 0
    await using odd = await serveOddS3({ late: { status: 403, reads: Number.POSITIVE_INFINITY } })
    const never = await examineBucket(odd.variables)
    expect(never).toMatchObject({ ...WELL, read: 'fail' })
    expect(never.found.PROBE_FAILS).toMatchObject({ error: expect.stringContaining('403') })
    expect(pauses).toEqual([1000, 2000, 4000, 8000])
  })
})

describe('on a network whose miners are on Chutes', () => {
  const KEY = 'cpk_of_mine'
  /** Returns the findings about the validator with a key, and the requests to the handler. */
  async function examineAccount(handle: Handle) {
    const network = await chainWith([])
    const { seen } = await putOnChutes(network, { '/users/me': handle })
    vi.stubEnv('CHUTES_API_KEY', KEY)
    const own = [...VALIDATING, ...buckets('buckets')]
    const examination = await examine(validator, network, ...own)
    expect(examination.stdout).not.toContain(KEY)
    return { ...examination, seen }
  }

  it('warns without a key and does not call the miner', async () => {
    const network = await chainWith([[miner, minerOf(miner, randomUUID())]])
    const { seen } = await putOnChutes(network, {})
    vi.stubEnv('CHUTES_API_KEY', '')
    const { results } = await examine(miner, network)
    expect([results.registered, results.answer, seen]).toEqual(['ok', 'warn', []])
  })

  const account =
    (status: number, body: unknown, aheadMs = 0): Handle =>
    (_, response) => {
      const date = new Date(Date.now() + aheadMs).toUTCString()
      response.writeHead(status, { date }).end(JSON.stringify(body))
    }

  it('reads the account and compares the clock with the clock of Chutes', async () => {
    const ours = account(200, accountWith(12.5, { netuids: [7] }))
    const { results, found, seen } = await examineAccount(ours)
    const wanted = { chutes: 'ok', access: 'ok', 'clock offset': 'ok', 'bucket read': 'warn' }
    expect(results).toMatchObject(wanted)
    expect(found).toMatchObject({ ACCOUNT: { dollars: '12.50' }, ACCESS: { netuid: 7 } })
    expect(found).toHaveProperty('PROBE_LOCAL')
    expect(seen[0]?.headers.authorization).toBe(`Bearer ${KEY}`)
  })

  const garbled: Handle = (_, response) => response.end('<html>')
  const silent: Handle = (_, response) => void response.destroy()
  it.each([
    ['with a wrong key', account(401, {}), 'ACCOUNT_REFUSED'],
    ['without money', account(200, { balance: 0 }), 'ACCOUNT_EMPTY'],
    ['without a balance', account(200, {}), 'ACCOUNT_EMPTY'],
    ['that is not JSON', garbled, 'ACCOUNT_UNKNOWN'],
    ['without a response', silent, 'ACCOUNT_UNKNOWN'],
  ])('fails for an account %s', async (_, handle, code) => {
    const { found } = await examineAccount(handle)
    expect(found[code]).toMatchObject({ check: 'chutes', result: 'fail' })
  })

  it('fails without the role for the subnet, and warns of the right to delete', async () => {
    const none = await examineAccount(account(200, accountWith(1)))
    const access = { netuid: 7, roles: ['subnet_invoke'], netuids: [120] }
    expect(none.found.NO_ACCESS).toMatchObject(access)
    const admin = accountWith(1, { netuids: [7], permissions_bitmask: (1 << 10) | (1 << 12) })
    const more = await examineAccount(account(200, admin))
    expect(more.found.ACCESS_TO_MORE).toMatchObject({ check: 'access', result: 'warn' })
  })

  it.each([60_000, -60_000])('fails for a clock that is %i ms off', async (aheadMs) => {
    const { found } = await examineAccount(account(200, { balance: 1 }, -aheadMs))
    expect(Number(found.OFFSET_LARGE?.aheadMs) / aheadMs).toBeCloseTo(1, 1)
  })
})

it('af doctor has a sentence for each finding', async () => {
  const lines: string[] = []
  for (const code of Object.keys(FINDINGS) as Finding['code'][]) {
    const [check, result] = FINDINGS[code]
    const screen = recordScreen()
    printFinding({ code, check, result, fields: FIELDS }, screen)
    for (const [line, record] of screen.line.mock.calls) {
      lines.push(`${code.padEnd(20)} ${stripTones(line)}`)
      expect(stripTones(line)).toContain(` ${Reflect.get(record, 'text')}`)
    }
  }
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('snapshots/doctor.txt')
})

it('errors.md lists exactly the checks of af doctor', async () => {
  const page = await readFile(new URL('../../../docs/errors.md', import.meta.url), 'utf8')
  const [, list = ''] = /^## What `af doctor` checks\n(.*?)^## /ms.exec(page) ?? []
  const heads = list.match(/^- .*?: /gm) ?? []
  const listed = heads.flatMap((head) => head.split('`').filter((_, i) => i % 2 === 1))
  expect(new Set(listed)).toEqual(new Set(Object.values(FINDINGS).map(([check]) => check)))
})

it('a disk must have free space for two days, and should for thirty', async () => {
  const file = await fileOf('')
  const bucket = { open: directoryBucket, folder: root }
  const { bavail, bsize } = await statfs(root)
  const room = async (days: number) => {
    const day = { laneBytes: (bavail * bsize) / days / 2, bucketBytes: 1 }
    const folder = join(root, 'not', 'there')
    const [found, other] = await checkDisks({ folder, bucket }, day)
    expect(other?.result).toBe('ok')
    return found?.result
  }
  expect([await room(1.5), await room(10), await room(40)]).toEqual(['fail', 'warn', 'ok'])
  const isFile = { folder: join(file, 'below'), bucket }
  const [found] = await checkDisks(isFile, { laneBytes: 1, bucketBytes: 1 })
  expect(found).toMatchObject({ code: 'DISK_FAILS', fields: { error: 'ENOTDIR' } })
})
