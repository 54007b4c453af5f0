import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { LIMITS, statePath } from '@affine/blocks'
import { type Account, account, encodeCommitment, LocalChain } from '@affine/chain'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { doctor } from '../src/commands/doctor.ts'
import { inProcess, unprintable } from './commands.ts'
import { closeServers, serve } from './servers.ts'

// Weights are never committed and revealed on a local chain: that it has a period is put into what
// is read.
const reveal = vi.hoisted(() => ({ period: 0 }))
vi.mock('@affine/settlement', async (original) => {
  const real = await original<typeof import('@affine/settlement')>()
  const openChain: typeof real.openChain = async (...asked) => {
    const opened = await real.openChain(...asked)
    const read = opened.chain.snapshot.bind(opened.chain)
    opened.chain.snapshot = async (block) => ({
      ...(await read(block)),
      revealPeriod: reveal.period,
    })
    return opened
  }
  return { ...real, openChain }
})

const accounts = Array.from({ length: 6 }, (_, i) => account(new Uint8Array(32).fill(i + 1)))
const [validator, poor, miner, rich, empty, stranger] = accounts as [
  ...[Account, Account, Account, Account, Account, Account],
]
const STAKES = [1_500_000_000_000n, 5n, 0n, 2_000_000_000_000n, 0n]
const HASH = 'ab'.repeat(32)
const seal = (url: string): Uint8Array[] =>
  encodeCommitment({ kind: 'seal', epoch: 4, head: HASH, url })
const minerOf = ({ hotkey }: Account): Uint8Array[] =>
  encodeCommitment({ kind: 'miner', model: `me/${hotkey}`, revision: 'main', chute: 'c' })

let root: string
let count = 0

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'doctor-'))
})
afterAll(async () => {
  closeServers()
  await rm(root, { recursive: true })
})

async function fileOf(text: string, path = `${count++}`): Promise<string> {
  const file = join(root, path)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text, { mode: 0o600 })
  return file
}

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
  const lines = people.stdout.trimEnd().split('\n')
  expect(lines).toHaveLength(machines.records.length)
  const marks = { ok: 'ok', warn: '! ', fail: '✘ ' }
  const results: Record<string, string> = {}
  for (const [i, record] of machines.records.entries()) {
    const { type, check, result, text } = record as Record<'type' | 'check' | 'text', string> & {
      result: 'ok'
    }
    expect(type).toBe('check')
    // Seconds may differ between the two runs.
    if (!['chain', 'clock'].includes(check))
      expect(lines[i]).toBe(`${marks[result]} ${check.padEnd(12)} ${text}`)
    expect(lines[i]?.startsWith(`${marks[result]} ${check}`)).toBe(true)
    results[check] = result
  }
  const failed = Object.values(results).includes('fail')
  expect(people.exitCode).toBe(failed ? 1 : undefined)
  return { results, text: people.stdout }
}

describe('af doctor', () => {
  it('finds nothing to mend on a validator that works', async () => {
    const network = await chainWith([[validator, seal('alices')]])
    await fileOf('{}', `buckets/alices/${statePath(4)}`)
    const { results, text } = await examined(validator, network, '--buckets', join(root, 'buckets'))
    expect(new Set(Object.values(results))).toEqual(new Set(['ok']))
    const checks = [
      'chain',
      'clock',
      'weights',
      'registered',
      'permit',
      'stake',
      'commitment',
      'last weights',
      'bucket',
    ]
    expect(Object.keys(results)).toEqual(checks)
    expect(text).toMatch(/^ok chain {8}subnet 7, block 1, in [\d.]+ s; genesis [0-9a-f]{64}$/m)
    expect(text).toMatch(/^ok clock {8}the newest block is [56] s old$/m)
    expect(text).toContain('ok weights      set in the open\n')
    expect(text).toContain(`ok registered   ${validator.hotkey} is uid 0\n`)
    expect(text).toContain('ok permit       held\nok stake        1500.000000000\n')
    expect(text).toContain(
      `ok commitment   block 1, seal: {"epoch":4,"head":"${HASH}","url":"alices"}\n`,
    )
    expect(text).toContain('ok last weights or registration: 1 blocks ago\n')
    expect(text).toContain(`ok bucket       alices has ${statePath(4)}\n`)
  })

  it('says how weights are set where they are committed and revealed', async () => {
    reveal.period = 3
    const { text } = await examined(validator, await chainWith([]))
    reveal.period = 0
    expect(text).toContain('ok weights      committed, and revealed 3 tempos later\n')
  })

  it('finds nothing to mend on a miner that committed: it needs neither permit nor stake nor bucket', async () => {
    const { results, text } = await examined(miner, await chainWith([[miner, minerOf(miner)]]))
    expect(new Set(Object.values(results))).toEqual(new Set(['ok']))
    expect(Object.keys(results)).not.toContain('bucket')
    expect(text).toContain('ok permit       none\nok stake        0.000000000\n')
    expect(text).toContain(`ok commitment   block 1, miner: {"model":"me/${miner.hotkey}"`)
  })

  it('a chain that does not answer: that alone', async () => {
    const { results, text } = await examined(validator, 'http://127.0.0.1:1')
    expect(results).toEqual({ chain: 'fail' })
    expect(text).toBe(
      '✘  chain        Unreachable: no chain answers at http://127.0.0.1:1; is it running?\n',
    )
  })

  it('a hotkey that is not registered: no more is looked at', async () => {
    const { results, text } = await examined(stranger, await chainWith([]))
    expect(results).toEqual({ chain: 'ok', clock: 'ok', weights: 'ok', registered: 'fail' })
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
    expect(high.results).toMatchObject({ permit: 'fail', commitment: 'ok' })
    expect(high.text).toContain('✘  permit       held: who holds one has no duel\n')
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
      `block 1, unreadable: {"text":["me/${rich.hotkey}","main","c"],"hex":[`,
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

  it('wrong usage is no finding', async () => {
    const { error, stdout } = await inProcess(
      doctor,
      '--network',
      'no such place',
      '--key',
      await fileOf('11'.repeat(32)),
    )
    expect(error).toBeInstanceOf(RangeError)
    expect(stdout).toBe('')
  })
})
