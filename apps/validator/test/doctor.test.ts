import { randomBytes, randomUUID } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { LIMITS, statePath } from '@affine/blocks'
import { type Account, account, ed25519Account, encodeCommitment, LocalChain } from '@affine/chain'
import { stripTones } from '@affine/report'
import type { Output } from '@affine/terminal'
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import {
  accountWith,
  type Handle,
  plays,
  serve,
  serveChutes,
} from '../../../packages/miners/test/servers.ts'
import { testFolder } from '../../../test/test-folder.ts'
import { closeServers } from '../../../test/web-server.ts'
import { doctor } from '../src/commands/doctor.ts'
import { FINDINGS, type Finding, printFinding } from '../src/examination/findings.ts'
import { findUnprintable, runCommand } from './commands.ts'
import { serveOddS3, serveS3 } from './s3-server.ts'

// The miners of a local chain are not on Chutes, so the platform and the address of Chutes are replaced.
const chutes = vi.hoisted((): { place?: Awaited<ReturnType<typeof serveChutes>>['place'] } => ({}))
// A local chain neither timelocks weights nor has a runtime, so both are added.
const added = vi.hoisted((): { revealPeriod?: number; faults?: readonly string[] } => ({}))
// Pauses between reads of a bucket end immediately.
const pauses = vi.hoisted((): number[] => [])
vi.mock('@affine/miners', async (original) => {
  const real = await original<typeof import('@affine/miners')>()
  const fetchAccount: typeof real.fetchAccount = (key, options) =>
    real.fetchAccount(key, { ...options, ...chutes.place })
  const openChutes: typeof real.openChutes = (options) =>
    real.openChutes({ ...options, ...chutes.place })
  return { ...real, fetchAccount, openChutes }
})
// With this long limit, replies are in time on a busy machine.
vi.mock('@affine/miners/node', async (original) => {
  const real = await original<typeof import('@affine/miners/node')>()
  const exchange: typeof real.exchange = (query) => real.exchange({ ...query, replyMs: 600_000 })
  return { ...real, NODE_CALLER: { ...real.NODE_CALLER, exchange } }
})
vi.mock('@affine/settlement', async (original) => {
  const real = await original<typeof import('@affine/settlement')>()
  const openChain: typeof real.openChain = async (...args) => {
    const opened = await real.openChain(...args)
    const { revealPeriod, faults } = added
    const snapshot = opened.chain.snapshot.bind(opened.chain)
    if (revealPeriod !== undefined)
      opened.chain.snapshot = async (block) => ({ ...(await snapshot(block)), revealPeriod })
    if (faults !== undefined) opened.chain.runtimeFaults = async () => faults
    if (chutes.place === undefined) return opened
    return { ...opened, network: { ...opened.network, platform: 'chutes' } }
  }
  const SYSTEM_CLOCK: typeof real.SYSTEM_CLOCK = {
    now: () => pauses.reduce((sum, ms) => sum + ms, 0),
    after: (ms, wake) => {
      if (ms > 60_000) return real.SYSTEM_CLOCK.after(ms, wake) // the clock of a game
      pauses.push(ms)
      const soon = setImmediate(wake)
      return () => clearImmediate(soon)
    },
  }
  return { ...real, openChain, SYSTEM_CLOCK }
})

const accounts = Array.from({ length: 6 }, (_, i) => account(new Uint8Array(32).fill(i + 1)))
const [validator, poor, miner, rich, empty, stranger] = accounts as [
  ...[Account, Account, Account, Account, Account, Account],
]
/** The account of an Ed25519 key. */
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
  ...{ netuid: 7, block: 1200, seconds: 3, genesis: HASH, hotkey: '5Hotkey', uid: 4, tempos: 1 },
  ...{ message: '<message>', fault: '<fault>', tao: '1.5' },
  problems: [
    { code: 'MISSING', by: '<option>', detail: '<detail>' },
    { code: 'REFUSED', detail: '<detail>' },
  ],
  ...{ kind: 'seal', says: { epoch: 4 }, blocks: 900, folder: '<folder>', days: 9, ms: 250 },
  ...{ freeBytes: 9e9, dayBytes: 1e9, dollars: '1.50', balance: 0, status: 401, aheadMs: -7000 },
  ...{ roles: ['subnet_admin'], netuids: [1], path: '<path>', url: '<url>', chute: '<chute>' },
  ...{ text: '<text>', models: ['one', 'two'], count: 3, env: 'mult8@0.1.0', challenges: 8 },
  ...{ asked: 8, usable: 7, legal: 6, right: 5 },
}

const root = testFolder('doctor')
let count = 0

afterAll(closeServers)

async function fileOf(text: string, path = `${count++}`): Promise<string> {
  const file = join(root, path)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text, { mode: 0o600 })
  return file
}

/** Findings that contain a time or free disk space. */
const TIMED = ['chain', 'clock', 'disk', 'clock offset', 'bucket read', 'answer', 'replies']

/** The option of an account that is to validate. */
const VALIDATING = ['--folder', join(root, 'validating')]

type Slots = readonly (readonly [Account, readonly Uint8Array[]])[]

/** Creates a chain with these commitments and `blocks` more blocks, created `age` seconds ago. */
async function chainWith(slots: Slots, { age = 5, blocks = 0 } = {}): Promise<string> {
  const neurons = STAKES.map((stake, i) => ({ hotkey: accounts[i]?.hotkey ?? '', stake }))
  neurons.push({ hotkey: edwards.hotkey, stake: 0n })
  const time = Date.now() - age * 1000
  const chain = LocalChain.create({ netuid: 7, random: () => randomBytes(32), time, neurons })
  const sent = slots.map(([account, fields]) => chain.commit(account, fields))
  await chain.produce(time)
  await Promise.all(sent)
  for (let i = 0; i < blocks; i++) await chain.produce(time)
  return fileOf(chain.export())
}

/** Runs `af doctor` as text and as JSON. Resolves with each check, each finding and the text. */
async function examine(who: Account, network: string, ...words: readonly string[]) {
  const secretSeed = Buffer.alloc(32, accounts.indexOf(who) + 1).toString('hex')
  const isEdwards = who.scheme === 'ed25519'
  const key = await fileOf(
    isEdwards ? JSON.stringify({ secretSeed: SEED, cryptoType: 0 }) : secretSeed,
  )
  const args = ['--network', network, '--key', key, ...words]
  const [people, machines] = [
    await runCommand(doctor, ...args),
    await runCommand(doctor, ...args, '--json'),
  ]
  expect([people.error, machines.error]).toEqual([undefined, undefined])
  expect(machines.exitCode).toBe(people.exitCode)
  expect(findUnprintable(people.stdout)).toEqual([])
  const checks = machines.records.filter(({ type }) => type === 'check')
  const lines = people.stdout.split('\n').filter((line) => /^(?:ok|! |✘ ) /.test(line))
  const marks = { ok: 'ok', warn: '! ', fail: '✘ ' }
  const results: Record<string, string> = {}
  const found: Record<string, Record<string, unknown>> = {}
  for (const [i, record] of checks.entries()) {
    const { type, check, result, code, text } = record as Record<'type' | 'check', string> &
      Record<'code' | 'text', string> & { result: 'ok' }
    found[code] = record
    expect(type).toBe('check')
    // Seconds may differ between the two runs.
    if (!TIMED.includes(check))
      expect(lines[i]).toBe(`${marks[result]} ${check.padEnd(12)} ${text}`)
    expect(lines[i]?.startsWith(`${marks[result]} ${check}`)).toBe(true)
    if (results[check] !== 'fail') results[check] = result
  }
  const failed = Object.values(results).includes('fail')
  expect(people.exitCode).toBe(failed ? 1 : undefined)
  return { results, found, text: people.stdout }
}

describe('af doctor', () => {
  it('reports no failure for a working validator', async () => {
    const network = await chainWith([[validator, seal('alices')]])
    await fileOf('{}', `buckets/alices/${statePath(4)}`)
    const own = ['--folder', join(root, 'folder'), '--buckets', join(root, 'buckets')]
    const { results, found } = await examine(validator, network, ...own)
    // A full disk fails its check.
    const { disk: _, ...others } = results
    expect(new Set(Object.values(others))).toEqual(new Set(['ok']))
    expect(Object.keys(results).join()).toBe(
      'chain,clock,weights,disk,bucket write,bucket keeps,bucket read,' +
        'registered,permit,stake,commitment,last weights,bucket',
    )
    const path = `v1/probes/${validator.hotkey}.json`
    expect(found).toMatchObject({
      CHAIN: { netuid: 7, block: 1 },
      WEIGHTS_OPEN: {},
      WRITTEN: { path },
      KEPT: { path },
      PROBE: { path, url: validator.hotkey },
      REGISTERED: { hotkey: validator.hotkey, uid: 0 },
      PERMIT: {},
      STAKE: { tao: '1500.000000000' },
      SLOT: { block: 1, kind: 'seal', says: { epoch: 4, head: HASH, url: 'alices' } },
      WEIGHTS_SET: { blocks: 1 },
      BUCKET: { url: 'alices', path: statePath(4) },
    })
    const written = join(root, 'buckets', validator.hotkey, path)
    expect(await readFile(written, 'utf8')).toBe(`{"hotkey":"${validator.hotkey}"}`)
  })

  it('shows a committed miner only its own checks and costs', async () => {
    const { url, seen } = await serve((index, request, response, body) =>
      plays(request, response, index, body),
    )
    const network = await chainWith([[miner, minerOf(miner, url)]])
    const { results, found, text } = await examine(miner, network)
    expect(found.ANSWER).toMatchObject({ chute: url })
    expect(found.REPLIES).toMatchObject({ challenges: 8, right: 8 })
    expect(JSON.parse(seen[0]?.body ?? '').model).toBe(`me/${miner.hotkey}`)
    expect(new Set(Object.values(results))).toEqual(new Set(['ok']))
    expect(Object.keys(results).join()).toBe('chain,clock,registered,commitment,answer,replies')
    expect(found.SLOT).toMatchObject({ kind: 'miner' })
    expect(text.match(/^Maximum for a \w+/gm)).toEqual(['Maximum for a miner'])
  })

  it('rejects an Ed25519 key for a validator, but not for a miner', async () => {
    const validates = await examine(edwards, await chainWith([]), ...VALIDATING)
    expect(validates.found.WRONG_KEY).toMatchObject({ result: 'fail', hotkey: edwards.hotkey })
    expect(validates.text.match(/^Maximum for a \w+/gm)).toHaveLength(2)
    const mines = await examine(edwards, await chainWith([[edwards, minerOf(edwards)]]))
    expect(mines.found).not.toHaveProperty('WRONG_KEY')
    expect(mines.found.SLOT).toMatchObject({ kind: 'miner' })
  })

  it('reports an unregistered hotkey, and checks neither its permit nor its commitment', async () => {
    const { results, found } = await examine(stranger, await chainWith([]))
    const chain = { chain: 'ok', clock: 'ok', weights: 'ok' }
    expect(results).toEqual({ ...chain, settings: 'warn', registered: 'fail' })
    expect(found.NOT_REGISTERED).toMatchObject({ hotkey: stranger.hotkey, netuid: 7 })
  })

  it.each([
    [-30, 'fail'],
    [0, 'ok'],
    [100, 'ok'],
    [200, 'fail'],
  ])('rates a newest block that is %i s old as %s', async (age, want) => {
    const { found } = await examine(validator, await chainWith([], { age }))
    expect(found.CLOCK ?? found.CLOCK_WRONG).toMatchObject({ result: want })
  })

  it('requires a permit of a validator, but not of a miner', async () => {
    const network = await chainWith([[rich, minerOf(rich)]])
    const low = await examine(poor, network)
    expect(low.results).toMatchObject({
      permit: 'fail',
      stake: 'ok',
      commitment: 'warn',
      bucket: 'warn',
    })
    const own = await examine(empty, network, ...VALIDATING)
    expect(own.results).toMatchObject({ permit: 'fail', stake: 'warn' })
    const mining = await examine(empty, network)
    expect(Object.keys(mining.results)).toEqual(['chain', 'clock', 'registered', 'commitment'])
    expect(mining.text.match(/^Maximum for a \w+/gm)).toEqual(['Maximum for a miner'])
    const high = await examine(rich, network)
    expect(high.results).not.toHaveProperty('permit')
    expect(high.results.commitment).toBe('ok')
    expect(high.found.NO_ANSWER).toMatchObject({ chute: 'c', reason: 'deployment' })
  })

  it('warns without a commitment, and fails for an unreadable commitment', async () => {
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
    expect(none.found).toMatchObject({ SLOT_FREE: {}, BUCKET_NOT_ANNOUNCED: {} })
  })

  it('warns if the last weights are old', async () => {
    const at = async (blocks: number) =>
      (await examine(validator, await chainWith([], { blocks }))).results
    expect((await at(59))['last weights']).toBe('ok')
    expect((await at(60))['last weights']).toBe('warn')
  })

  it('checks that the announced bucket opens and serves a state', async () => {
    const network = await chainWith([[validator, seal('alices')]])
    const unannounced = await examine(validator, network)
    const place = { url: 'alices', path: statePath(4) }
    expect(unannounced.found.BUCKET_NOT_NAMED).toMatchObject(place)
    const lacking = await examine(validator, network, '--buckets', join(root, 'elsewhere'))
    expect(lacking.found.BUCKET_LACKS).toMatchObject(place)
    const outside = await chainWith([[validator, seal('../alices')]])
    expect(
      (await examine(validator, outside, '--buckets', join(root, 'buckets'))).results.bucket,
    ).toBe('fail')
    const hostile = await chainWith([[validator, seal('\u001b[2J\u202ex')]])
    expect(
      (await examine(validator, hostile, '--buckets', join(root, 'buckets'))).results.bucket,
    ).toBe('fail')

    await fileOf('x'.repeat(LIMITS.blockBytes + 1), `large/alices/${statePath(4)}`)
    const large = await examine(validator, network, '--buckets', join(root, 'large'))
    expect(large.results.bucket).toBe('fail')
    const requests: (string | undefined)[] = []
    const { url } = await serve((_, request, response) => {
      requests.push(request.url)
      response.writeHead(requests.length > 2 ? 200 : 500).end('{}')
    })
    const broken = await examine(validator, network, '--buckets', url)
    expect(broken.found.BUCKET_FAILS).toMatchObject({ error: expect.stringContaining('500') })
    expect((await examine(validator, network, '--buckets', url)).results.bucket).toBe('ok')
    expect(new Set(requests)).toEqual(new Set([`/v1/alices/${statePath(4)}`]))
  })

  it('reports missing settings, as a failure if a folder is named', async () => {
    const network = await chainWith([])
    const bare = await examine(validator, network)
    expect(bare.results.settings).toBe('warn')
    expect(bare.found.SETTINGS_MISSING?.problems).toHaveLength(2)
    vi.stubEnv('S3_SECRET_ACCESS_KEY', 'a secret of mine')
    const half = await examine(validator, network, '--folder', join(root, 'folder'))
    vi.unstubAllEnvs()
    expect(half.results.settings).toBe('fail')
    expect(half.text).toContain('--s3-endpoint or S3_ENDPOINT or R2_ACCOUNT_ID: not given')
    expect(half.text).not.toContain('secret of mine')
  })

  it('reports timelocked weights, and what the runtime lacks', async () => {
    const network = await chainWith([])
    Object.assign(added, { revealPeriod: 3, faults: [] })
    const { results, found } = await examine(validator, network)
    expect([results.runtime, found.WEIGHTS_HIDDEN?.tempos]).toEqual(['ok', 3])
    added.faults = ['no setWeights']
    const lacking = await examine(validator, network)
    for (const name of ['revealPeriod', 'faults'] as const) delete added[name]
    expect(lacking.found.RUNTIME_LACKS).toMatchObject({ result: 'fail', fault: 'no setWeights' })
  })

  it('reports only that the chain is unreachable, if it is', async () => {
    const { results, found } = await examine(validator, 'http://127.0.0.1:1')
    expect(results).toEqual({ chain: 'fail' })
    expect(found.CHAIN_FAILS).toMatchObject({ error: 'Unreachable' })
  })

  it('prints the first reason to refuse a source, and reads only a regular file up to 1 MiB', async () => {
    const path = await fileOf('import requests\n')
    const refused = await runCommand(doctor, '--source', path, '--json')
    expect([refused.error, refused.exitCode]).toEqual([undefined, 1])
    expect(refused.records).toMatchObject([
      { type: 'source', path, refusal: expect.stringMatching(/^line 1: "import requests"/) },
    ])
    const large = await fileOf('#'.repeat(2 ** 20 + 1))
    for (const wrong of [`${path}-that-is-not-there`, root, large])
      expect((await runCommand(doctor, '--source', wrong)).error).toBeInstanceOf(RangeError)
  })

  describe('a bucket in S3', () => {
    /** Returns the findings about a bucket with the settings of these variables. */
    async function examineBucket(variables: Readonly<Record<string, string>>) {
      const network = await chainWith([[validator, seal(`${variables.AFFINE_BUCKET_URL}`)]])
      for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value)
      const folder = join(root, 'folder')
      const { results, found, text } = await examine(validator, network, '--folder', folder)
      vi.unstubAllEnvs()
      expect(text).not.toContain(variables.S3_SECRET_ACCESS_KEY)
      const [write, keeps, read] = ['write', 'keeps', 'read'].map(
        (name) => results[`bucket ${name}`],
      )
      return { write, keeps, read, found }
    }
    const probe = `v1/probes/${validator.hotkey}.json`

    it('can be written and read, and refuses to overwrite; reports a wrong key and a wrong URL', async () => {
      await using server = await serveS3()
      const { variables, url } = server
      expect(await examineBucket(variables)).toMatchObject({ write: 'ok', keeps: 'ok', read: 'ok' })
      expect(await (await fetch(`${url}/${probe}`)).json()).toEqual({ hotkey: validator.hotkey })

      const locked = await examineBucket({ ...variables, S3_SECRET_ACCESS_KEY: 'another-secret' })
      expect(locked).toMatchObject({ write: 'fail', keeps: undefined, read: undefined })
      expect(locked.found.NOT_WRITTEN).toMatchObject({ error: expect.stringContaining('403') })
      const lost = await examineBucket({ ...variables, AFFINE_BUCKET_URL: `${url}/elsewhere` })
      expect(lost).toMatchObject({ write: 'ok', read: 'fail' })
      expect(lost.found.PROBE_MISSING).toMatchObject({ path: probe, url: `${url}/elsewhere` })
      const other = await serve((_, __, response) => response.end('{"hotkey":"another"}'))
      const foreign = await examineBucket({ ...variables, AFFINE_BUCKET_URL: other.url })
      expect(foreign).toMatchObject({ write: 'ok', read: 'fail' })
      expect(foreign.found.PROBE_OTHER).toMatchObject({ path: probe, url: other.url })
    })

    it('fails the check if it overwrites a file, which is then restored', async () => {
      await using odd = await serveOddS3({ overwrites: true })
      const found = { NOT_KEPT: { path: probe } }
      const wanted = { write: 'ok', keeps: 'fail', read: 'ok', found }
      for (const _ of ['once', 'again'])
        expect(await examineBucket(odd.variables)).toMatchObject(wanted)
      odd.mend()
      expect(await examineBucket(odd.variables)).toMatchObject({
        write: 'ok',
        keeps: 'ok',
        read: 'ok',
      })
    })

    it('is written again if it refuses a write as busy, or stores nothing', async () => {
      for (const troubles of ['busy', 'forgets'] as const) {
        await using odd = await serveOddS3({ troubles })
        expect(await examineBucket(odd.variables)).toMatchObject({
          write: 'ok',
          keeps: 'ok',
          read: 'ok',
        })
      }
    })

    it('is read repeatedly at a stale public URL, for at most 20 seconds', async () => {
      for (const status of [404, 403]) {
        pauses.length = 0
        await using odd = await serveOddS3({ late: { status, reads: 2 } })
        expect(await examineBucket(odd.variables)).toMatchObject({
          write: 'ok',
          keeps: 'ok',
          read: 'ok',
        })
        expect(pauses).toEqual([1000, 2000])
      }
      pauses.length = 0
      await using odd = await serveOddS3({ late: { status: 403, reads: Number.POSITIVE_INFINITY } })
      const never = await examineBucket(odd.variables)
      expect(never).toMatchObject({ write: 'ok', keeps: 'ok', read: 'fail' })
      expect(never.found.PROBE_FAILS).toMatchObject({ error: expect.stringContaining('403') })
      // Runs twice: for people and for machines.
      expect(pauses).toEqual([1000, 2000, 4000, 8000, 1000, 2000, 4000, 8000])
    })
  })

  describe('on a network whose miners are on Chutes', () => {
    const own = () => ['--folder', join(root, 'folder'), '--buckets', join(root, 'buckets')]
    const KEY = 'cpk_of_mine'
    /** Returns the findings with a key, and the requests to these handlers. */
    async function withKey(who: Account, slots: Slots, handlers: Record<string, Handle>) {
      const { place, seen } = await serveChutes(handlers)
      chutes.place = place
      vi.stubEnv('CHUTES_API_KEY', KEY)
      const examination = await examine(who, await chainWith(slots), ...own())
      expect(examination.text).not.toContain(KEY)
      return { ...examination, seen }
    }
    afterEach(() => {
      vi.unstubAllEnvs()
      delete chutes.place
    })

    it('warns without a key and does not call the miner', async () => {
      chutes.place = (await serveChutes({})).place
      vi.stubEnv('CHUTES_API_KEY', '')
      const { results } = await examine(
        miner,
        await chainWith([[miner, minerOf(miner, randomUUID())]]),
      )
      expect([results.registered, results.answer]).toEqual(['ok', 'warn'])
    })

    const account =
      (status: number, body: unknown, aheadMs = 0): Handle =>
      (_, response) => {
        const date = new Date(Date.now() + aheadMs).toUTCString()
        response.writeHead(status, { date }).end(JSON.stringify(body))
      }

    it('reads the account and compares the clock with the clock of Chutes', async () => {
      const handlers = { '/users/me': account(200, accountWith(12.5, { netuids: [7] })) }
      const { results, found, seen } = await withKey(validator, [], handlers)
      const wanted = { chutes: 'ok', access: 'ok', 'clock offset': 'ok', 'bucket read': 'warn' }
      expect(results).toMatchObject(wanted)
      expect(found).toMatchObject({ ACCOUNT: { dollars: '12.50' }, ACCESS: { netuid: 7 } })
      expect(found).toHaveProperty('PROBE_LOCAL')
      expect(seen[0]?.headers.authorization).toBe(`Bearer ${KEY}`)
    })

    it.each([
      [401, {}, 'ACCOUNT_REFUSED'],
      [200, { balance: 0 }, 'ACCOUNT_EMPTY'],
      [200, {}, 'ACCOUNT_EMPTY'],
    ])('fails for an unusable account: %i %j', async (status, body, code) => {
      const examination = await withKey(validator, [], { '/users/me': account(status, body) })
      expect(examination.results.chutes).toBe('fail')
      expect(examination.found).toHaveProperty(code)
    })

    it('fails without the role for the subnet, and warns of the right to delete', async () => {
      const elsewhere = { '/users/me': account(200, accountWith(1)) }
      const none = await withKey(validator, [], elsewhere)
      const access = { netuid: 7, roles: ['subnet_invoke'], netuids: [120] }
      expect(none.found.NO_ACCESS).toMatchObject(access)
      const admin = accountWith(1, { netuids: [7], permissions_bitmask: (1 << 10) | (1 << 12) })
      const more = await withKey(validator, [], { '/users/me': account(200, admin) })
      expect(more.results.access).toBe('warn')
      expect(more.found).toHaveProperty('ACCESS_TO_MORE')
    })

    it.each([60_000, -60_000])('fails for a clock that is %i ms off', async (aheadMs) => {
      const handlers = { '/users/me': account(200, { balance: 1 }, -aheadMs) }
      const { found } = await withKey(validator, [], handlers)
      expect(Number(found.OFFSET_LARGE?.aheadMs) / aheadMs).toBeCloseTo(1, 1)
    })

    it('reports a response that is not an account, and no response', async () => {
      const garbled: Handle = (_, response) => response.end('<html>')
      const { found } = await withKey(validator, [], { '/users/me': garbled })
      expect(found).toHaveProperty('ACCOUNT_UNKNOWN')
      chutes.place = { exchange: () => Promise.reject(new Error('no answer')) }
      const silent = await examine(validator, await chainWith([]), ...own())
      expect(silent.results.chutes).toBe('fail')
    })
  })

  it('has a sentence for each finding', async () => {
    const lines: string[] = []
    for (const code of Object.keys(FINDINGS) as Finding['code'][]) {
      const line: Output['line'] = (text) =>
        void lines.push(`${code.padEnd(20)} ${stripTones(text)}`)
      const [check, result] = FINDINGS[code]
      printFinding(
        { code, check, result, fields: FIELDS },
        { line, status: () => {}, wait: () => {} },
      )
    }
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('snapshots/doctor.txt')
  })
})

it('errors.md lists exactly the checks of af doctor', async () => {
  const page = await readFile(new URL('../../../docs/errors.md', import.meta.url), 'utf8')
  const [, list = ''] = /^## What `af doctor` checks\n(.*?)^## /ms.exec(page) ?? []
  const names = list.split('\n').map((line) => /^- (.*?): /.exec(line)?.[1] ?? '')
  const listed = names.flatMap((some) => [...some.matchAll(/`([^`]+)`/g)].map(([, name]) => name))
  expect(new Set(listed)).toEqual(new Set(Object.values(FINDINGS).map(([check]) => check)))
})
