import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type Account,
  account,
  encodeCommitment,
  LocalChain,
  type LocalOptions,
  serveLocal,
} from '@affine/chain'
import { playerReply } from '@affine/miners'
import { listen } from '@affine/node/listen'
import { digest } from '@affine/prng'
import { LOCAL_NETWORK, NETWORKS } from '@affine/settlement'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { completion, serve } from '../../../packages/miners/test/servers.ts'
import { killAll } from '../../../test/processes.ts'
import { testFolder } from '../../../test/test-folder.ts'
import { closeServers } from '../../../test/web-server.ts'
import { commit } from '../src/commands/commit.ts'
import { setWeights } from '../src/commands/set-weights.ts'
import { status } from '../src/commands/status.ts'
import { validate } from '../src/commands/validate.ts'
import { findUnprintable, runCommand, serveGrowingChain } from './commands.ts'
import { type PlayedSubnet, playSubnetOnce, TWO_MINERS } from './played-subnet.ts'

// No one is evicted on these chains, so an absent miner is removed from the snapshots that a command
// reads.
const gone = vi.hoisted(() => new Set<string>())
let hasOwner = true
vi.mock('@affine/settlement', async (original) => {
  const real = await original<typeof import('@affine/settlement')>()
  const openLive: typeof real.openLive = async (...args) => {
    const opened = await real.openLive(...args)
    const last = (await opened.chain.head()).number
    const read = opened.chain.snapshot.bind(opened.chain)
    opened.chain.snapshot = async (block) => {
      const whole = await read(block)
      return {
        ...whole,
        owner: hasOwner ? whole.owner : undefined,
        neurons: whole.neurons.filter(({ hotkey }) => block < last || !gone.has(hotkey)),
      }
    }
    return opened
  }
  return { ...real, openLive }
})

const HOSTILE = '\u001b]0;owned\u0007\u001b[2J\u202e\u009b31mred\n\r'
const HASH = 'ab'.repeat(32)
const accounts = Array.from({ length: 8 }, (_, i) => account(new Uint8Array(32).fill(i + 1)))
const [alice, bob, first, second, copier, idle, garbled] = accounts as [
  ...[Account, Account, Account, Account, Account, Account, Account, Account],
]

const root = testFolder('chain-commands')
let count = 0

afterEach(() => {
  gone.clear()
  hasOwner = true
})
afterAll(closeServers)
afterAll(killAll)

async function fileOf(text: string): Promise<string> {
  const file = join(root, `${count++}`)
  await writeFile(file, text, { mode: 0o600 })
  return file
}
const keyOf = (index: number): Promise<string> =>
  fileOf(Buffer.alloc(32, index + 1).toString('hex'))

function chainOf(options: Partial<LocalOptions> = {}): LocalChain {
  const stakes = [2_000_000_000_001n, 1_000_000_000_000n, 0n, 10n, 0n, 0n, 0n]
  const neurons = stakes.map((stake, i) => ({ hotkey: accounts[i]?.hotkey ?? '', stake }))
  const params = { tempo: 30, weightsRateLimit: 1 }
  return LocalChain.create({
    netuid: 7,
    random: () => randomBytes(32),
    time: 1000,
    neurons,
    params,
    ...options,
  })
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const minerOf = ({ hotkey }: Account, more = ''): Uint8Array[] =>
  encodeCommitment({
    kind: 'miner',
    model: `me/${more}${hotkey}`,
    revision: 'main',
    chute: 'http://127.0.0.1:1/v1',
  })

/** A chain with one commitment of each kind. Its last block is 3. */
async function busy(): Promise<LocalChain> {
  const chain = chainOf()
  const bitmap = new Uint8Array(16).fill(5)
  const calls = [chain.commit(second, minerOf(second))]
  await chain.produce(2000)
  calls.push(
    chain.commit(first, minerOf(first, HOSTILE.slice(0, 9))),
    chain.commit(alice, encodeCommitment({ kind: 'seal', epoch: 3, head: HASH, url: HOSTILE })),
    chain.commit(bob, minerOf(bob)),
    chain.commit(copier, minerOf(first)),
    chain.commit(garbled, [bytes(HOSTILE), Uint8Array.of(0xff)]),
    chain.setWeights(bob, [
      [3, 32_768],
      [2, 65_535],
    ]),
  )
  await chain.produce(3000)
  const attest = {
    kind: 'attest',
    epoch: 4,
    bitmap,
    next: HASH,
    stateRoot: HASH,
    url: 'bucket',
  } as const
  calls.push(chain.commit(alice, encodeCommitment(attest)))
  await chain.produce(4000)
  await Promise.all(calls)
  return chain
}

describe('the queue in af status', () => {
  it('lists miners by waiting time, and states why other miners are not queued', async () => {
    const file = await fileOf((await busy()).export())
    await mkdir(join(root, 'bucket'))
    const args = ['--network', file, '--buckets', root]
    const { records, stdout } = await runCommand(status, ...args, '--json')
    const [record] = records
    expect(findUnprintable(stdout)).toEqual([])
    const queue = record?.queue as {
      place?: number
      hotkey: string
      readyBy?: number
      why: string
    }[]
    for (const { place, readyBy } of queue)
      expect(readyBy).toBe(place === undefined ? undefined : 1)
    expect(queue.map(({ place, hotkey, why }) => [place, hotkey, why])).toEqual([
      [1, second.hotkey, expect.stringContaining('waits')],
      [2, bob.hotkey, expect.stringContaining('waits')], // with a permit
      [3, first.hotkey, expect.stringContaining('waits')],
      [undefined, alice.hotkey, "has a validator's commitment: attest"],
      [undefined, copier.hotkey, expect.stringMatching(/^its model /)],
      [undefined, idle.hotkey, 'has no commitment'],
      [undefined, garbled.hotkey, 'has no valid commitment'],
    ])
    const people = await runCommand(status, ...args)
    expect(people.stdout).toMatch(
      new RegExp(
        `\n\nplace +uid +hotkey +block +turn in .*\n1 +3 +${second.hotkey} +1 +about 1 epoch +1 +251 +4093\n(.*\n){2}$`,
      ),
    )
  })
})

describe('af commit', () => {
  const CHAT = '/v1/chat/completions'
  const words = (hotkey: string) =>
    `--model me/${hotkey} --revision main --chute c --anyway`.split(' ')

  it('plays with the miner, and commits nothing if an environment has no legal reply', async () => {
    const chain = chainOf()
    await using served = await serveGrowingChain(chain)
    let [before, packs] = ['I say ', 0]
    const { url, seen } = await serve((index, _, response, body) => {
      const head = { 'content-type': 'application/json' }
      if (index < 2) return void response.writeHead(404, head).end(completion('any'))
      const prompt: string = JSON.parse(body).messages.at(-1).content
      if (prompt.startsWith('Pack') && packs++ === 0)
        return void response.writeHead(404, head).end('gone')
      const isBad = prompt.startsWith('Hex') || prompt.startsWith('Compute')
      const reply = playerReply(prompt, { skill: 1, seed: '' })
      response.writeHead(200, head).end(completion(isBad ? `${before}${reply}` : reply))
    })
    const options = ['--model', `me/${first.hotkey}`, '--revision', 'main', '--chute', url]
    const args = ['--network', served.url, '--key', await keyOf(2), ...options, '--json']
    const refused = await runCommand(commit, ...args)
    const why = { reason: 'status', status: 404 }
    expect(refused.records).toMatchObject([
      { code: 'NO_ANSWER', result: 'fail', chute: url, ...why },
    ])
    expect(refused.error?.message).toContain('--anyway')
    expect((await chain.snapshot(chain.height)).commitments).toEqual([])
    expect(seen.map(({ url }) => url)).toEqual([CHAT, '/v1/models'])
    const illegal = await runCommand(commit, ...args)
    expect(illegal.error?.message).toContain('--anyway')
    expect(illegal.records).toMatchObject([
      { code: 'ANSWER', result: 'ok' },
      { code: 'NO_LEGAL_REPLY', result: 'fail', env: 'hex@0.1.0', usable: 8, legal: 0 },
      { code: 'NO_LEGAL_REPLY', env: 'mult8@0.1.0', usable: 8, legal: 0 },
      { code: 'REPLIES', result: 'ok', env: 'pack@0.1.0', legal: 7 },
      { code: 'REPLIES', env: 'tictactoe@0.1.0', right: 8 },
      { code: 'REPLIES_FAIL', result: 'warn', count: 1, status: 404 },
    ])
    expect((await chain.snapshot(chain.height)).commitments).toEqual([])
    before = ''
    const { records } = await runCommand(commit, ...args)
    expect(records.at(-2)).toMatchObject({ type: 'committed', hotkey: first.hotkey })
    const bodies = seen.filter(({ url }) => url === CHAT).map(({ body }) => JSON.parse(body))
    for (const { model, messages } of bodies)
      expect([model, messages.at(-1).role]).toEqual([`me/${first.hotkey}`, 'user'])
  })

  it("overwrites a validator's commitment only with --overwrite", async () => {
    const chain = chainOf()
    await using served = await serveGrowingChain(chain)
    await chain.commit(bob, encodeCommitment({ kind: 'seal', epoch: 3, head: HASH, url: 'b' }))
    const args = ['--network', served.url, '--key', await keyOf(1), ...words(bob.hotkey)]
    const { error } = await runCommand(commit, ...args)
    expect(error?.message).toMatch(
      /^the slot contains a validator's commitment \(block \d+, seal: /,
    )
    const { records } = await runCommand(commit, ...args, '--overwrite', '--json')
    expect(records[0]).toMatchObject({ type: 'committed', hotkey: bob.hotkey, kind: 'miner' })
    const again = await runCommand(commit, ...args, '--json')
    expect(again.records[0]).toMatchObject({ type: 'committed', hotkey: bob.hotkey })
  })

  it('commits on chain and prints the stored commitment', async () => {
    const chain = chainOf()
    await using served = await serveGrowingChain(chain)
    const { records, error } = await runCommand(
      commit,
      ...['--network', served.url, '--key', await keyOf(2), ...words(first.hotkey), '--json'],
    )
    expect(error).toBeUndefined()
    const [slot] = (await chain.snapshot(chain.height)).commitments
    expect(slot?.fields).toEqual([`me/${first.hotkey}`, 'main', 'c'].map(bytes))
    const says = { model: `me/${first.hotkey}`, revision: 'main', chute: 'c' }
    const held = { hotkey: first.hotkey, block: slot?.block, kind: 'miner', says }
    expect(records).toEqual([
      { type: 'committed', ...held },
      expect.objectContaining({ type: 'place', place: 1, turn: { least: 1, most: 1 } }),
    ])
  })

  it('sends nothing without --emit where the network requires it, and prints the commitment', async () => {
    const chain = chainOf()
    await using served = await serveGrowingChain(chain)
    careful(chain)
    const args = ['--network', served.url, '--key', await keyOf(2), ...words(first.hotkey)]
    const { stdout } = await runCommand(commit, ...args)
    expect(stdout).toContain(
      `would commit {"hotkey":"${first.hotkey}","model":"me/${first.hotkey}"`,
    )
    expect(stdout).toContain('a dry run without --emit')
    expect((await chain.snapshot(chain.height)).commitments).toEqual([])
    const { records } = await runCommand(commit, ...args, '--emit', '--json')
    expect(records[0]).toMatchObject({ type: 'committed', hotkey: first.hotkey })
    expect((await chain.snapshot(chain.height)).commitments).toHaveLength(1)
  })
})

it('af validate without --overwrite does not start if its slot contains a model', async () => {
  const chain = chainOf()
  await using served = await serveGrowingChain(chain)
  const model = { model: `me/${bob.hotkey}`, revision: 'main', chute: 'c' }
  await chain.commit(bob, encodeCommitment({ kind: 'miner', ...model }))
  const places = ['--folder', join(root, 'private'), '--buckets', join(root, 'public')]
  const words = ['--network', served.url, '--key', await keyOf(1), ...places]
  const { error } = await runCommand(validate, ...words)
  expect(error?.message).toMatch(/^the slot contains a miner's model \(block \d+, miner: /)
})

afterEach(() => void Reflect.deleteProperty(NETWORKS, 'careful'))

/** Makes the chain careful until the test ends, so that sending needs --emit. */
function careful({ genesis }: LocalChain): void {
  Object.assign(NETWORKS, { careful: { ...LOCAL_NETWORK, genesis, careful: true } })
}

describe('af set-weights', () => {
  let played: PlayedSubnet
  const hotkeyOf = (name: string): string => played.hotkeyOf(name)
  const keyOfMember = (name: string): Promise<string> =>
    fileOf(digest('demo key', played.participants.seed, name))

  beforeAll(async () => {
    played = await playSubnetOnce(TWO_MINERS)
  })

  /** Returns a copy of the played chain, which can continue, and the uid of its champion. */
  async function subnet() {
    const chain = LocalChain.import(played.chainExport, () => randomBytes(32))
    const neurons = (await chain.snapshot(0)).neurons
    return { chain, uid: neurons.find(({ hotkey }) => hotkey === hotkeyOf('stronger'))?.uid ?? -1 }
  }

  it('sets all weight to the champion, and prints the weights in force', async () => {
    const { chain, uid } = await subnet()
    await using served = await serveGrowingChain(chain)
    const alice = played.participants.validators.find(({ name }) => name === 'alice')
      ?.account as Account
    await chain.setWeights(alice, [[0, 65_535]])
    expect((await chain.weights(chain.height))[alice.hotkey]).toEqual([[0, 65_535]])
    const own = `--key ${await keyOfMember('alice')} --buckets ${played.buckets}`
    const args = `--network ${served.url} ${own}`.split(' ')

    const dry = await runCommand(setWeights, ...args, '--dry-run', '--json')
    const weights = [[uid, 65_535]]
    expect(dry.records).toEqual([{ type: 'withheld', hotkey: alice.hotkey, weights }])
    expect((await chain.weights(chain.height))[alice.hotkey]).toEqual([[0, 65_535]])

    const { records, error } = await runCommand(setWeights, ...args, '--json')
    expect(error).toBeUndefined()
    const block = (await chain.snapshot(chain.height)).neurons[0]?.lastUpdate
    expect(records).toEqual([
      { type: 'weights', hotkey: alice.hotkey, weights, block, held: weights },
    ])
    expect((await chain.weights(chain.height))[alice.hotkey]).toEqual(weights)

    careful(chain)
    const shown = await runCommand(setWeights, ...args)
    const text = `^would set \\[\\[${uid},65535\\]\\], .* ${hotkeyOf('stronger')}; .*\n$`
    expect(shown.stdout).toMatch(new RegExp(text))
    expect((await chain.snapshot(chain.height)).neurons[0]?.lastUpdate).toBe(block)
    const sent = await runCommand(setWeights, ...args, '--emit')
    expect(sent.stdout).toMatch(
      /^block \d+ contains \[\[\d+,65535\]\], to the champion .* Weights in force: \[\[\d+,65535\]\]\n$/,
    )
    expect((await chain.snapshot(chain.height)).neurons[0]?.lastUpdate).toBeGreaterThan(block ?? 0)
  })

  it('rejects a hotkey without permit or registration, and an unregistered champion', async () => {
    const { chain } = await subnet()
    using served = await listen(serveLocal(chain, 50), 0)
    const args = ['--network', served.url, '--buckets', played.buckets, '--key']
    const miner = await runCommand(setWeights, ...args, await keyOfMember('veteran'))
    expect(miner.error?.message).toContain('NeuronNoValidatorPermit')
    const other = await runCommand(setWeights, ...args, await keyOf(0))
    const detail = expect.stringContaining(`${alice.hotkey} on subnet 120`)
    expect(other.error).toMatchObject({ code: 'HotKeyNotRegisteredInSubNet', detail })
    gone.add(hotkeyOf('stronger'))
    const left = await runCommand(setWeights, ...args, await keyOfMember('alice'))
    expect(left.error?.message).toMatch(`${hotkeyOf('stronger')} is no longer`)
  })

  it('sets all weight to the owner, if registered, while there is no champion', async () => {
    const chain = chainOf()
    await using served = await serveGrowingChain(chain)
    const args = ['--network', served.url, '--buckets', root, '--key', await keyOf(1)]
    hasOwner = false
    const { error } = await runCommand(setWeights, ...args)
    expect(error?.message).toMatch(/^neither .* no weights /)
    expect(await chain.weights(chain.height)).toEqual({})
    hasOwner = true
    const { stdout } = await runCommand(setWeights, ...args)
    expect(stdout).toMatch(new RegExp(`contains \\[\\[0,65535\\]\\], .* owner ${alice.hotkey}\\.`))
    expect(await chain.weights(chain.height)).toEqual({ [bob.hotkey]: [[0, 65_535]] })
  })
})
