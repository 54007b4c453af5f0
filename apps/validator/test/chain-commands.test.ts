import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Account, account, encodeCommitment, type LocalChain } from '@affine/chain'
import { claimFolder } from '@affine/engine'
import { playerReply } from '@affine/miners'
import { afterAll, describe, expect, it } from 'vitest'
import { completion, serve } from '../../../packages/miners/test/servers.ts'
import { testFolder } from '../../../test/test-folder.ts'
import { closeServers } from '../../../test/web-server.ts'
import { commit } from '../src/commands/commit.ts'
import { status } from '../src/commands/status.ts'
import { validate } from '../src/commands/validate.ts'
import {
  changeNetwork,
  createChain,
  findUnprintable,
  playOnly,
  runCommand,
  serveGrowingChain,
  writeIn,
} from './commands.ts'

const HOSTILE = '\u001b]0;owned\u0007\u001b[2J\u202e\u009b31mred\n\r'
const HASH = 'ab'.repeat(32)
const accounts = Array.from({ length: 8 }, (_, i) => account(new Uint8Array(32).fill(i + 1)))
const [alice, bob, first, second, copier, idle, garbled] = accounts as [
  ...[Account, Account, Account, Account, Account, Account, Account, Account],
]

const root = testFolder('chain-commands')

afterAll(closeServers)

const keyOf = (index: number): Promise<string> =>
  writeIn(root, Buffer.alloc(32, index + 1).toString('hex'))

function chainOf(): LocalChain {
  const stakes = [2_000_000_000_001n, 1_000_000_000_000n, 0n, 10n, 0n, 0n, 0n]
  const neurons = stakes.map((stake, i) => ({ hotkey: accounts[i]?.hotkey ?? '', stake }))
  return createChain({ neurons, params: { tempo: 30, weightsRateLimit: 1 } })
}
/** Serves a chain. The `args` name the chain, and the key of the account at `index`. */
async function serveFor(index: number, chain = chainOf()) {
  const served = await serveGrowingChain(chain)
  return { chain, ...served, args: ['--network', served.url, '--key', await keyOf(index)] }
}
const commitmentsOn = async (chain: LocalChain) => (await chain.snapshot(chain.height)).commitments

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
  const attested = { bitmap: new Uint8Array(16).fill(5), next: HASH, stateRoot: HASH }
  const attest = { kind: 'attest', epoch: 4, ...attested, url: 'bucket' } as const
  calls.push(chain.commit(alice, encodeCommitment(attest)))
  await chain.produce(4000)
  await Promise.all(calls)
  return chain
}

it('af status lists miners by waiting time, and states why other hotkeys are not queued', async () => {
  const file = await writeIn(root, (await busy()).export())
  await mkdir(join(root, 'bucket'))
  const args = ['--network', file, '--buckets', root]
  const { records, stdout } = await runCommand(status, ...args, '--json')
  expect(findUnprintable(stdout)).toEqual([])
  const queue = records[0]?.queue as Record<'place' | 'hotkey' | 'readyBy' | 'why', unknown>[]
  const waits = expect.stringContaining('waits')
  expect(queue.map(({ place, readyBy, hotkey, why }) => [place, readyBy, hotkey, why])).toEqual([
    [1, 1, second.hotkey, waits],
    [2, 1, bob.hotkey, waits], // a miner with a permit
    [3, 1, first.hotkey, waits],
    [undefined, undefined, alice.hotkey, "has a validator's commitment: attest"],
    [undefined, undefined, copier.hotkey, expect.stringMatching(/^its model /)],
    [undefined, undefined, idle.hotkey, 'has no commitment'],
    [undefined, undefined, garbled.hotkey, 'has no valid commitment'],
  ])
  const people = await runCommand(status, ...args)
  const row = `1 +3 +${second.hotkey} +1 +about 1 epoch +1 +251 +4093`
  const table = `\n\nplace +uid +hotkey +block +turn in .*\n${row}\n(.*\n){2}$`
  expect(people.stdout).toMatch(new RegExp(table))
})

describe('af commit', () => {
  const words = (hotkey: string) =>
    `--model me/${hotkey} --revision main --chute c --anyway`.split(' ')

  it('plays with the miner, and commits nothing if an environment has no legal reply', async () => {
    await using served = await serveFor(2)
    playOnly(served.chain, 'mult8@0.1.0', 'pack@0.1.0', 'tictactoe@0.1.0')
    let [before, packs] = ['I say ', 0]
    const { url, seen } = await serve((index, _, response, body) => {
      const head = { 'content-type': 'application/json' }
      if (index === 0) return void response.writeHead(404, head).end(completion('any'))
      const prompt: string = JSON.parse(body).messages.at(-1).content
      if (prompt.startsWith('Pack') && packs++ === 0)
        return void response.writeHead(404, head).end('gone')
      const isBad = prompt.startsWith('Compute')
      const reply = playerReply(prompt, { skill: 1, seed: '' })
      response.writeHead(200, head).end(completion(isBad ? `${before}${reply}` : reply))
    })
    const options = ['--model', `me/${first.hotkey}`, '--revision', 'main', '--chute', url]
    const args = [...served.args, ...options, '--json']
    const refused = await runCommand(commit, ...args)
    const why = { reason: 'status', status: 404 }
    expect(refused.records).toMatchObject([
      { code: 'NO_ANSWER', result: 'fail', chute: url, ...why },
    ])
    expect(seen.map(({ url }) => url)).toEqual(['/v1/chat/completions'])
    const illegal = await runCommand(commit, ...args)
    expect(illegal.records).toMatchObject([
      { code: 'ANSWER', result: 'ok' },
      { code: 'NO_LEGAL_REPLY', result: 'fail', env: 'mult8@0.1.0', usable: 8, legal: 0 },
      { code: 'REPLIES', result: 'ok', env: 'pack@0.1.0', legal: 7 },
      { code: 'REPLIES', env: 'tictactoe@0.1.0', right: 8 },
      { code: 'REPLIES_FAIL', result: 'warn', count: 1, status: 404 },
    ])
    for (const { error } of [refused, illegal]) expect(error?.message).toContain('--anyway')
    expect(await commitmentsOn(served.chain)).toEqual([])
    before = ''
    const { records } = await runCommand(commit, ...args)
    expect(records.at(-2)).toMatchObject({ type: 'committed', hotkey: first.hotkey })
    const bodies = seen.map(({ body }) => JSON.parse(body))
    for (const { model, messages } of bodies)
      expect([model, messages.at(-1).role]).toEqual([`me/${first.hotkey}`, 'user'])
  })

  it("overwrites a validator's commitment only with --overwrite", async () => {
    await using served = await serveFor(1)
    const seal = { kind: 'seal', epoch: 3, head: HASH, url: 'b' } as const
    await served.chain.commit(bob, encodeCommitment(seal))
    const args = [...served.args, ...words(bob.hotkey), '--json']
    const { error } = await runCommand(commit, ...args)
    expect(error?.message).toMatch(
      /^the slot contains a validator's commitment \(block \d+, seal: /,
    )
    for (const more of [['--overwrite'], []]) {
      const { records } = await runCommand(commit, ...args, ...more)
      expect(records[0]).toMatchObject({ type: 'committed', hotkey: bob.hotkey, kind: 'miner' })
    }
  })

  it('sends only with --emit where the network requires it, and prints the stored commitment', async () => {
    await using served = await serveFor(2)
    const { chain, args } = served
    changeNetwork(chain, { careful: true })
    const [model, line] = [`me/${first.hotkey}`, [...args, ...words(first.hotkey)]]
    const { stdout } = await runCommand(commit, ...line)
    expect(stdout).toContain(`would commit {"hotkey":"${first.hotkey}","model":"${model}"`)
    expect(stdout).toContain('a dry run without --emit')
    expect(await commitmentsOn(chain)).toEqual([])
    const { records, error } = await runCommand(commit, ...line, '--emit', '--json')
    expect(error).toBeUndefined()
    const [slot] = await commitmentsOn(chain)
    expect(slot?.fields).toEqual([model, 'main', 'c'].map(bytes))
    const says = { model, revision: 'main', chute: 'c' }
    expect(records).toEqual([
      { type: 'committed', hotkey: first.hotkey, block: slot?.block, kind: 'miner', says },
      expect.objectContaining({ type: 'place', place: 1, turn: { least: 1, most: 1 } }),
    ])
  })
})

describe('af validate', () => {
  const placesAt = (folder: string) => ['--folder', folder, '--buckets', join(root, 'public')]

  it("without --overwrite does not start if the slot contains a miner's model", async () => {
    await using served = await serveFor(1)
    await served.chain.commit(bob, minerOf(bob))
    const { error } = await runCommand(validate, ...served.args, ...placesAt(join(root, 'own')))
    expect(error?.message).toMatch(/^the slot contains a miner's model \(block \d+, miner: /)
  })

  it('rejects the folder of another hotkey, and adds only a lock file', async () => {
    await using served = await serveFor(1)
    const folder = join(root, 'theirs')
    await claimFolder(folder, served.chain, alice.hotkey)
    const { error } = await runCommand(validate, ...served.args, ...placesAt(folder))
    const owners = `names another owner than .*"${bob.hotkey}","netuid":7}: use another`
    expect(error?.message).toMatch(new RegExp(`^${folder}/owner.json ${owners}`))
    expect(error).toBeInstanceOf(RangeError)
    expect((await readdir(folder)).sort()).toEqual(['lock', 'owner.json'])
  })
})
