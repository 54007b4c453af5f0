import { execFileSync } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { LIMITS, statePath } from '@affine/blocks'
import { type Account, account, encodeCommitment, LocalChain } from '@affine/chain'
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import {
  accountWith,
  closeServers,
  type Handle,
  plays,
  serve,
  serveChutes,
  sourceFor,
} from '../../../packages/miners/test/servers.ts'
import { testFolder } from '../../../test/test-folder.ts'
import { doctor } from '../src/commands/doctor.ts'
import { inProcess, unprintable } from './commands.ts'
import { serveOddS3, serveS3 } from './s3-server.ts'

// Weights are never timelocked on a local chain: that it has a period is put into what is read.
const reveal = vi.hoisted(() => ({ period: 0 }))
// Nor has it a runtime: what one lacks is put in too.
const runtime = vi.hoisted((): { faults?: readonly string[] } => ({}))
// Nor are miners on Chutes there: that they are is put in too, and where Chutes is.
const chutes = vi.hoisted((): { place?: Awaited<ReturnType<typeof serveChutes>>['place'] } => ({}))
// The pauses between tries to read a bucket pass at once.
const pauses = vi.hoisted((): number[] => [])
vi.mock('@affine/miners', async (original) => {
  const real = await original<typeof import('@affine/miners')>()
  const chutesAccount: typeof real.chutesAccount = (key, options) =>
    real.chutesAccount(key, { ...options, ...chutes.place })
  const openChutes: typeof real.openChutes = (options) =>
    real.openChutes({ ...options, ...chutes.place })
  return { ...real, chutesAccount, openChutes }
})
// However busy this machine is, replies come in time, but for those to prompts that get none.
const silence = vi.hoisted((): { prompts?: RegExp } => ({}))
vi.mock('@affine/miners/node', async (original) => {
  const real = await original<typeof import('@affine/miners/node')>()
  const exchange: typeof real.exchange = (query) => {
    const isSilent = silence.prompts?.test(query.body ?? '')
    return real.exchange({ ...query, replyMs: isSilent ? 100 : 600_000 })
  }
  return { ...real, NODE_CALLER: { ...real.NODE_CALLER, exchange } }
})
vi.mock('@affine/settlement', async (original) => {
  const real = await original<typeof import('@affine/settlement')>()
  const openChain: typeof real.openChain = async (...asked) => {
    const opened = await real.openChain(...asked)
    const read = opened.chain.snapshot.bind(opened.chain)
    opened.chain.snapshot = async (block) => ({
      ...(await read(block)),
      revealPeriod: reveal.period,
    })
    const { faults } = runtime
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
const STAKES = [1_500_000_000_000n, 5n, 0n, 2_000_000_000_000n, 0n]
const HASH = 'ab'.repeat(32)
const REVISION = 'ab'.repeat(20)
const seal = (url: string): Uint8Array[] =>
  encodeCommitment({ kind: 'seal', epoch: 4, head: HASH, url })
const minerOf = ({ hotkey }: Account, chute = 'c'): Uint8Array[] =>
  encodeCommitment({ kind: 'miner', model: `me/${hotkey}`, revision: REVISION, chute })

const root = testFolder('doctor')
let count = 0

afterAll(closeServers)

async function fileOf(text: string, path = `${count++}`): Promise<string> {
  const file = join(root, path)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text, { mode: 0o600 })
  return file
}

/** What has a time in it, or the room on a disk. */
const TIMED = ['chain', 'clock', 'disk', 'clock offset', 'bucket read', 'answer', 'replies']

type Slots = readonly (readonly [Account, readonly Uint8Array[]])[]

/**
 * A chain whose newest block was made so many seconds ago, with these commitments and as many
 * blocks after.
 */
async function chainWith(slots: Slots, { age = 5, blocks = 0 } = {}): Promise<string> {
  const neurons = STAKES.map((stake, i) => ({ hotkey: accounts[i]?.hotkey ?? '', stake }))
  const time = Date.now() - age * 1000
  const chain = LocalChain.create({ netuid: 7, random: () => randomBytes(32), time, neurons })
  const sent = slots.map(([account, fields]) => chain.commit(account, fields))
  await chain.produce(time)
  await Promise.all(sent)
  for (let i = 0; i < blocks; i++) await chain.produce(time)
  return fileOf(chain.export())
}

/** What each check came to, and all that was said. */
async function examined(who: Account, network: string, ...words: readonly string[]) {
  const key = await fileOf(Buffer.alloc(32, accounts.indexOf(who) + 1).toString('hex'))
  const asked = ['--network', network, '--key', key, ...words]
  const [people, machines] = [
    await inProcess(doctor, ...asked),
    await inProcess(doctor, ...asked, '--json'),
  ]
  expect([people.error, machines.error]).toEqual([undefined, undefined])
  expect(machines.exitCode).toBe(people.exitCode)
  expect(unprintable(people.stdout)).toEqual([])
  const checks = machines.records.filter(({ type }) => type === 'check')
  // The settings come first.
  const lines = people.stdout.trimEnd().split('\n').slice(-checks.length)
  const marks = { ok: 'ok', warn: '! ', fail: '✘ ' }
  const results: Record<string, string> = {}
  for (const [i, record] of checks.entries()) {
    const { type, check, result, text } = record as Record<'type' | 'check' | 'text', string> & {
      result: 'ok'
    }
    expect(type).toBe('check')
    // Seconds may differ between the two runs.
    if (!TIMED.includes(check))
      expect(lines[i]).toBe(`${marks[result]} ${check.padEnd(12)} ${text}`)
    expect(lines[i]?.startsWith(`${marks[result]} ${check}`)).toBe(true)
    if (results[check] !== 'fail') results[check] = result
  }
  const failed = Object.values(results).includes('fail')
  expect(people.exitCode).toBe(failed ? 1 : undefined)
  return { results, text: people.stdout }
}

describe('af doctor', () => {
  it('finds nothing to mend on a validator that works', async () => {
    const network = await chainWith([[validator, seal('alices')]])
    await fileOf('{}', `buckets/alices/${statePath(4)}`)
    const own = ['--folder', join(root, 'folder'), '--buckets', join(root, 'buckets')]
    const { results, text } = await examined(validator, network, ...own)
    // A full machine has no room.
    const { disk: _, ...others } = results
    expect(new Set(Object.values(others))).toEqual(new Set(['ok']))
    expect(Object.keys(results).join()).toBe(
      'chain,clock,weights,disk,bucket write,bucket keeps,bucket read,' +
        'registered,permit,stake,commitment,last weights,bucket',
    )
    expect(text).toMatch(/^ok chain {8}subnet 7, block 1, in [\d.]+ s; genesis [0-9a-f]{64}$/m)
    const room = (folder: string, need: string) =>
      new RegExp(
        `${join(root, folder)} has [\\d.]+ .B free and takes at most ${need} a day: \\d+ days`,
      )
    expect(text).toMatch(room('folder', '5.61 GB'))
    expect(text).toMatch(room('buckets', '5.61 GB'))
    const probe = `v1/probes/${validator.hotkey}.json`
    expect(text).toContain(`ok bucket write it has ${probe}\n`)
    expect(text).toContain(`ok bucket keeps other bytes for ${probe} are refused\n`)
    expect(text).toContain(`ok bucket read  ${probe} at ${validator.hotkey}, in `)
    const written = join(root, 'buckets', validator.hotkey, probe)
    expect(await readFile(written, 'utf8')).toBe(`{"hotkey":"${validator.hotkey}"}`)
    expect(text).toMatch(/^ok clock {8}the newest block is \d+ s old$/m)
    expect(text).toContain('ok weights      set in the open\n')
    expect(text).toContain(`ok registered   ${validator.hotkey} is uid 0\n`)
    expect(text).toContain('ok permit       held\nok stake        1500.000000000 TAO\n')
    expect(text).toContain(
      `ok commitment   block 1, seal: {"epoch":4,"head":"${HASH}","url":"alices"}\n`,
    )
    expect(text).toContain('ok last weights or registration: 1 blocks ago\n')
    expect(text).toContain(`ok bucket       alices has ${statePath(4)}\n`)
  })

  it('says how weights are set where they are timelocked', async () => {
    reveal.period = 3
    const { text } = await examined(validator, await chainWith([]))
    reveal.period = 0
    expect(text).toContain('ok weights      timelocked, and opened by the chain 3 tempos later\n')
  })

  it('says what the runtime lacks of all that is asked of it', async () => {
    const network = await chainWith([])
    try {
      runtime.faults = []
      expect((await examined(stranger, network)).results.runtime).toBe('ok')
      runtime.faults = ['there is no call subtensorModule.setWeights']
      const { results, text } = await examined(stranger, network)
      expect(results.runtime).toBe('fail')
      expect(text).toMatch(/^✘ {2}runtime {6}there is no call subtensorModule.setWeights: /m)
    } finally {
      delete runtime.faults
    }
  })

  it('finds nothing to mend on a miner that committed: it needs neither permit nor stake nor bucket', async () => {
    const { url, seen } = await serve((index, request, response, body) =>
      plays(request, response, index, body),
    )
    const network = await chainWith([[miner, minerOf(miner, url)]])
    const { results, text } = await examined(miner, network)
    expect(text).toMatch(new RegExp(`^ok answer {7}${url} gives a usable reply, in \\d+ ms$`, 'm'))
    const judged = 'mult8@0.1.0: 8 of 8 replies usable, 8 legal; 8 of 8 challenges right'
    expect(text).toContain(`ok replies      ${judged}\n`)
    expect(JSON.parse(seen[0]?.body ?? '').model).toBe(`me/${miner.hotkey}`)
    expect(new Set(Object.values(results))).toEqual(new Set(['ok']))
    expect(Object.keys(results)).not.toContain('bucket')
    expect(text).toContain('ok permit       none\nok stake        0.000000000 TAO\n')
    expect(text).toContain(`ok commitment   block 1, miner: {"model":"me/${miner.hotkey}"`)
  })

  it('tells a miner that answers late to answer several at once', async () => {
    silence.prompts = /Compute/
    const { url } = await serve((index, request, response, body) => {
      if (!silence.prompts?.test(body)) plays(request, response, index, body)
    })
    const network = await chainWith([[miner, minerOf(miner, url)]])
    const { results, text } = await examined(miner, network)
    expect(results).toMatchObject({ answer: 'ok', replies: 'fail' })
    expect(text).toContain(
      '!  replies      8 × no usable reply: late: no reply within 0.1 s: serve the model faster, or ' +
        'let it write less: eight challenges were played at once, and validators play more: answer ' +
        'several at once, or refuse what is more with 429\n',
    )
    delete silence.prompts
  })

  it('a chain that does not answer: that alone', async () => {
    const { results, text } = await examined(validator, 'http://127.0.0.1:1')
    expect(results).toEqual({ chain: 'fail' })
    expect(text).toMatch(
      /\n✘ {2}chain {8}Unreachable: no chain answers at http:\/\/127\.0\.0\.1:1; is it running\?\n$/,
    )
  })

  it('a hotkey that is not registered: no more of it is looked at', async () => {
    const { results, text } = await examined(stranger, await chainWith([]))
    const chain = { chain: 'ok', clock: 'ok', weights: 'ok' }
    expect(results).toEqual({ ...chain, settings: 'warn', registered: 'fail' })
    expect(text).toContain(`✘  registered   ${stranger.hotkey} is not: register it on subnet 7\n`)
  })

  it.each([
    [-30, 'fail'],
    [0, 'ok'],
    [100, 'ok'],
    [200, 'fail'],
  ])('a newest block that is %i s old: %s', async (age, want) => {
    const { results, text } = await examined(validator, await chainWith([], { age }))
    expect(results.clock).toBe(want)
    expect(text.includes('s old: set the clock, or take a node that keeps up')).toBe(
      want === 'fail',
    )
  })

  it('a permit: whoever has none cannot validate, and a miner that has one has no duel', async () => {
    const network = await chainWith([[rich, minerOf(rich)]])
    const low = await examined(poor, network)
    expect(low.results).toMatchObject({
      permit: 'fail',
      stake: 'ok',
      commitment: 'warn',
      bucket: 'warn',
    })
    expect(low.text).toContain(
      '✘  permit       none: add stake to validate, or `af commit` to mine\n',
    )
    expect((await examined(empty, network)).results).toMatchObject({
      permit: 'fail',
      stake: 'warn',
    })
    const high = await examined(rich, network)
    expect(high.results).toMatchObject({ permit: 'ok', commitment: 'ok' })
    expect(high.results.answer).toBe('fail')
    expect(high.text).toContain(
      '✘  answer       c gives no usable reply: on a local network the chute is the http:// URL of ',
    )
  })

  it('a commitment: none yet may be, a miner’s that does not count may not, and is not obeyed', async () => {
    const hostile = new TextEncoder().encode('\u001b[2J\u202eme')
    const network = await chainWith([
      [miner, minerOf(rich)],
      [poor, [hostile]],
      [validator, [hostile]],
    ])
    const copied = await examined(miner, network)
    expect(copied.results).toMatchObject({ commitment: 'fail', bucket: 'warn' })
    expect(copied.text).toContain(
      `block 1, unreadable: {"text":["me/${rich.hotkey}","${REVISION}","c"],"hex":[`,
    )
    expect((await examined(poor, network)).results.commitment).toBe('fail')
    // A validator writes over it when it runs.
    expect((await examined(validator, network)).results.commitment).toBe('warn')
    const none = await examined(rich, network)
    expect(none.results.commitment).toBe('warn')
    expect(none.text).toContain('!  commitment   none yet: `af validate` or `af commit` makes it\n')
    expect(none.text).toContain('!  bucket       not announced yet\n')
  })

  it('weights that were set long ago', async () => {
    const at = async (blocks: number) =>
      (await examined(validator, await chainWith([], { blocks }))).results
    expect((await at(59))['last weights']).toBe('ok')
    expect((await at(60))['last weights']).toBe('warn')
  })

  it('a bucket: where it is must be said, and what is announced must be there', async () => {
    const network = await chainWith([[validator, seal('alices')]])
    const unsaid = await examined(validator, network)
    expect(unsaid.results.bucket).toBe('warn')
    expect(unsaid.text).toContain(
      `!  bucket       alices was not asked for ${statePath(4)}: name its place with --buckets`,
    )
    const lacking = await examined(validator, network, '--buckets', join(root, 'elsewhere'))
    expect(lacking.results.bucket).toBe('warn')
    expect(lacking.text).toContain(`alices lacks ${statePath(4)}`)
    const outside = await chainWith([[validator, seal('../alices')]])
    expect(
      (await examined(validator, outside, '--buckets', join(root, 'buckets'))).results.bucket,
    ).toBe('fail')
    const hostile = await chainWith([[validator, seal('\u001b[2J\u202ex')]])
    expect(
      (await examined(validator, hostile, '--buckets', join(root, 'buckets'))).results.bucket,
    ).toBe('fail')

    await fileOf('x'.repeat(LIMITS.blockBytes + 1), `large/alices/${statePath(4)}`)
    const large = await examined(validator, network, '--buckets', join(root, 'large'))
    expect(large.results.bucket).toBe('fail')
    const asked: (string | undefined)[] = []
    const { url } = await serve((_, request, response) => {
      asked.push(request.url)
      response.writeHead(asked.length > 2 ? 200 : 500).end('{}')
    })
    const broken = await examined(validator, network, '--buckets', url)
    expect(broken.results.bucket).toBe('fail')
    expect(broken.text).toMatch(/✘ {2}bucket {7}cannot read http:.*: status 500: name its place/)
    expect((await examined(validator, network, '--buckets', url)).results.bucket).toBe('ok')
    expect(new Set(asked)).toEqual(new Set([`/v1/alices/${statePath(4)}`]))
  })

  it('settings: what is missing is said, and must be mended by who means to validate', async () => {
    const network = await chainWith([])
    const bare = await examined(validator, network)
    expect(bare.results.settings).toBe('warn')
    expect(bare.text).toContain(
      '!  settings     disk, bucket and Chutes are not looked at: --folder or AFFINE_FOLDER: not given; the bucket:',
    )
    vi.stubEnv('S3_SECRET_ACCESS_KEY', 'a secret of mine')
    const half = await examined(validator, network, '--folder', join(root, 'folder'))
    vi.unstubAllEnvs()
    expect(half.results.settings).toBe('fail')
    expect(half.text).toContain('--s3-endpoint or S3_ENDPOINT or R2_ACCOUNT_ID: not given')
    expect(half.text).not.toContain('secret of mine')
  })

  describe('a bucket in S3', () => {
    /** What is found of a bucket, with the settings of these variables. */
    async function tried(variables: Readonly<Record<string, string>>) {
      const network = await chainWith([[validator, seal(`${variables.AFFINE_BUCKET_URL}`)]])
      for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value)
      const { results, text } = await examined(validator, network, '--folder', join(root, 'folder'))
      vi.unstubAllEnvs()
      expect(text).not.toContain(variables.S3_SECRET_ACCESS_KEY)
      const [write, keeps, read] = ['write', 'keeps', 'read'].map(
        (name) => results[`bucket ${name}`],
      )
      return { write, keeps, read, text }
    }
    const probe = `v1/probes/${validator.hotkey}.json`

    it('is written, keeps its files and is read where everyone can, again and again', async () => {
      await using server = await serveS3()
      const { variables, url } = server
      expect(await tried(variables)).toMatchObject({ write: 'ok', keeps: 'ok', read: 'ok' })
      expect(await (await fetch(`${url}/${probe}`)).json()).toEqual({ hotkey: validator.hotkey })

      const locked = await tried({ ...variables, S3_SECRET_ACCESS_KEY: 'another-secret' })
      expect(locked).toMatchObject({ write: 'fail', keeps: undefined, read: undefined })
      expect(locked.text).toContain('status 403 SignatureDoesNotMatch')
      const lost = await tried({ ...variables, AFFINE_BUCKET_URL: `${url}/elsewhere` })
      expect(lost).toMatchObject({ write: 'ok', read: 'fail' })
      expect(lost.text).toContain(`no ${probe} at ${url}/elsewhere: is that the public address`)
      const other = await serve((_, __, response) => response.end('{"hotkey":"another"}'))
      const foreign = await tried({ ...variables, AFFINE_BUCKET_URL: other.url })
      expect(foreign).toMatchObject({ write: 'ok', read: 'fail' })
      expect(foreign.text).toContain(`something else is ${probe} at ${other.url}`)
    })

    it('overwrites: a later examination finds the probe again', async () => {
      await using odd = await serveOddS3({ overwrites: true })
      for (const _ of ['once', 'again']) {
        const found = await tried(odd.variables)
        expect(found).toMatchObject({ write: 'ok', keeps: 'fail', read: 'ok' })
        expect(found.text).toContain(
          `✘  bucket keeps it overwrote ${probe} with other bytes: take a service that refuses that`,
        )
      }
      odd.mend()
      expect(await tried(odd.variables)).toMatchObject({ write: 'ok', keeps: 'ok', read: 'ok' })
    })

    it('is busy for a while, or forgets at first what it took', async () => {
      for (const troubles of ['busy', 'forgets'] as const) {
        await using odd = await serveOddS3({ troubles })
        expect(await tried(odd.variables)).toMatchObject({ write: 'ok', keeps: 'ok', read: 'ok' })
      }
    })

    it('is behind at its public address: it is asked again for 20 seconds at most', async () => {
      for (const status of [404, 403]) {
        pauses.length = 0
        await using odd = await serveOddS3({ late: { status, reads: 2 } })
        expect(await tried(odd.variables)).toMatchObject({ write: 'ok', keeps: 'ok', read: 'ok' })
        expect(pauses).toEqual([1000, 2000])
      }
      pauses.length = 0
      await using odd = await serveOddS3({ late: { status: 403, reads: Number.POSITIVE_INFINITY } })
      const never = await tried(odd.variables)
      expect(never).toMatchObject({ write: 'ok', keeps: 'ok', read: 'fail' })
      expect(never.text).toContain(': status 403: is that the public address of this bucket')
      // Twice: for people and for machines.
      expect(pauses).toEqual([1000, 2000, 4000, 8000, 1000, 2000, 4000, 8000])
    })
  })

  describe('on a network whose miners are on Chutes', () => {
    const own = () => ['--folder', join(root, 'folder'), '--buckets', join(root, 'buckets')]
    const KEY = 'cpk_of_mine'
    /** What is found by somebody with a key, and asked of what answers so. */
    async function found(who: Account, slots: Slots, handlers: Record<string, Handle>) {
      const { place, seen } = await serveChutes(handlers)
      chutes.place = place
      vi.stubEnv('CHUTES_API_KEY', KEY)
      const said = await examined(who, await chainWith(slots), ...own())
      expect(said.text).not.toContain(KEY)
      return { ...said, seen }
    }
    afterEach(() => {
      vi.unstubAllEnvs()
      delete chutes.place
    })

    it('asks nothing of a miner without a key, and warns of that', async () => {
      chutes.place = (await serveChutes({})).place
      vi.stubEnv('CHUTES_API_KEY', '')
      const { results } = await examined(
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

    it('asks for the account, and compares the clock with that of Chutes', async () => {
      const handlers = { '/users/me': account(200, accountWith(12.5, { netuids: [7] })) }
      const { results, text, seen } = await found(validator, [], handlers)
      const wanted = { chutes: 'ok', access: 'ok', 'clock offset': 'ok', 'bucket read': 'warn' }
      expect(results).toMatchObject(wanted)
      expect(text).toContain('ok chutes       the account has 12.50 $\n')
      expect(text).toContain('ok access       the account may call the chutes of subnet 7\n')
      expect(text).toMatch(
        /^ok clock offset \d\.\d s (behind|ahead of) Chutes, give or take \d\.\d s$/m,
      )
      expect(text).toContain('!  bucket read  on this machine alone: say where with --bucket-url\n')
      expect(seen[0]?.headers.authorization).toBe(`Bearer ${KEY}`)
    })

    it.each([
      [401, {}, 'the account is refused with 401: mend CHUTES_API_KEY'],
      [200, { balance: 0 }, "the account's balance is 0: top it up: sampling would pause"],
      [200, {}, "the account's balance is NaN: top it up: sampling would pause"],
    ])('an account that is not in order must be mended: %i %j', async (status, body, text) => {
      const said = await found(validator, [], { '/users/me': account(status, body) })
      expect(said.results.chutes).toBe('fail')
      expect(said.text).toContain(`✘  chutes       ${text}\n`)
    })

    it('an account without the role for the subnet must get it, and one that may delete is told', async () => {
      const elsewhere = { '/users/me': account(200, accountWith(1)) }
      const none = await found(validator, [], elsewhere)
      expect(none.results.access).toBe('fail')
      expect(none.text).toContain(
        '✘  access       Chutes lets the account call no chute of subnet 7, it has the roles ' +
          '[subnet_invoke] for the subnets [120]; ask an admin of the subnet at Chutes, its owner, ' +
          'for the role subnet_invoke\n',
      )
      const admin = accountWith(1, { netuids: [7], permissions_bitmask: (1 << 10) | (1 << 12) })
      const more = await found(validator, [], { '/users/me': account(200, admin) })
      expect(more.results.access).toBe('warn')
      expect(more.text).toContain('and delete them and read their logs: subnet_invoke is enough')
    })

    it.each([60_000, -60_000])('a clock that is %i ms off must be set', async (aheadMs) => {
      const handlers = { '/users/me': account(200, { balance: 1 }, -aheadMs) }
      const { results, text } = await found(validator, [], handlers)
      expect(results['clock offset']).toBe('fail')
      expect(text).toMatch(aheadMs > 0 ? /(59|60)\.\d s ahead of/ : /(59|60|61)\.\d s behind/)
      expect(text).toContain('set the clock: `timedatectl set-ntp true`\n')
    })

    it('what is no account of Chutes, or does not answer, is said', async () => {
      const garbled: Handle = (_, response) => response.end('<html>')
      const { results, text } = await found(validator, [], { '/users/me': garbled })
      expect(results.chutes).toBe('fail')
      expect(text).toContain('✘  chutes       no account to be had: ')
      chutes.place = { exchange: () => Promise.reject(new Error('no answer')) }
      const silent = await examined(validator, await chainWith([]), ...own())
      expect(silent.results.chutes).toBe('fail')
    })
  })

  it('a source alone, with nothing else named: all for which it is refused', async () => {
    const path = await fileOf('import requests\n')
    const refused = await inProcess(doctor, '--source', path, '--json')
    expect(refused.error).toBeUndefined()
    expect(refused.exitCode).toBe(1)
    expect(refused.records).toMatchObject([
      { type: 'source', path, refusals: [expect.stringMatching(/^line 1: "import requests"/)] },
    ])
    const whole = {
      hotkey: 'me',
      model: 'me/affine-me',
      revision: 'c0ffee11'.repeat(5),
      chute: 'c',
    }
    const passed = await inProcess(doctor, '--source', await fileOf(sourceFor(whole)))
    expect([passed.error, passed.exitCode]).toEqual([undefined, undefined])
    expect(passed.stdout).toBe('nothing in it is refused\n')
    const none = await inProcess(doctor, '--source', `${path}-that-is-not-there`)
    expect(none.error).toBeInstanceOf(RangeError)
  })

  it('rejects a source that is a pipe or has over 1 MiB, and does not wait for it', async () => {
    const large = await fileOf('#'.repeat(2 ** 20 + 1))
    const pipe = `${large}.pipe`
    execFileSync('mkfifo', [pipe])
    for (const [path, fault] of [
      [pipe, 'a regular file'],
      [large, 'at most 1048576 bytes'],
    ] as const) {
      const { error } = await inProcess(doctor, '--source', path)
      expect(error).toBeInstanceOf(RangeError)
      expect(error).toMatchObject({ message: expect.stringContaining(fault) })
    }
  })

  it('wrong usage is no finding', async () => {
    const { error, stdout } = await inProcess(
      doctor,
      '--network',
      'no such place',
      '--key',
      await fileOf('11'.repeat(32)),
    )
    expect(error).toBeInstanceOf(RangeError)
    expect(stdout).not.toMatch(/[✔!✘]/)
  })
})
