import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { account, encodeCommitment, LocalChain } from '@affine/chain'
import { playerReply } from '@affine/miners'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { completion, serve } from '../../../packages/miners/test/servers.ts'
import type { Written } from '../../../packages/terminal/test/within.ts'
import { runAf } from '../../../test/in-process.ts'
import { testFolder } from '../../../test/test-folder.ts'
import { closeServers } from '../../../test/web-server.ts'
import { parseRecords, serveGrowingChain } from './commands.ts'

const REVISION = 'ab'.repeat(20)
const hotkeys = [1, 2, 3, 4].map((byte) => account(new Uint8Array(32).fill(byte)))
const [strong, weak, silent, validator] = hotkeys as [Key, Key, Key, Key]
type Key = ReturnType<typeof account>

const root = testFolder('af-duel-uids')
let chain: LocalChain
let network: Awaited<ReturnType<typeof serveGrowingChain>>
const models: string[] = []

const modelOf = ({ hotkey }: Key): string => `me/${hotkey}`
const commitMiner = (key: Key, chute: string, revision = REVISION): Promise<unknown> =>
  chain.commit(key, encodeCommitment({ kind: 'miner', model: modelOf(key), revision, chute }))

/** Serves a reference miner of a skill, and records the requested models. */
async function serveSkill(skill: number): Promise<string> {
  const { url } = await serve((_, __, response, body) => {
    const { model, messages } = JSON.parse(body)
    models.push(model)
    response.end(completion(playerReply(messages.at(-1).content, { skill, seed: 'uids' })))
  })
  return url
}

beforeAll(async () => {
  const neurons = hotkeys.map(({ hotkey }) => ({ hotkey, stake: 0n }))
  const random = () => randomBytes(32)
  chain = LocalChain.create({ netuid: 7, random, time: 1000, neurons })
  network = await serveGrowingChain(chain)
  await commitMiner(strong, await serveSkill(1))
  await commitMiner(weak, await serveSkill(0.2))
  const seal = { kind: 'seal', epoch: 1, head: 'cd'.repeat(32), url: 'https://v.example' } as const
  await chain.commit(validator, encodeCommitment(seal))
})
afterAll(async () => {
  await network[Symbol.asyncDispose]()
  closeServers()
})

const duel = (out: string, ...words: readonly string[]): Promise<Written> =>
  runAf(['duel', ...words, '--env', 'mult8-v0', '--json', '--out', join(root, out)])
const onNetwork = (out: string, ...words: readonly string[]): Promise<Written> =>
  duel(out, ...words, '--network', network.url)

describe('af duel of uids', () => {
  it('plays the committed miners with their committed models', async () => {
    const { code, stdout, stderr } = await onNetwork('both', '1', '0')
    expect([code, stderr]).toEqual([0, ''])
    const records = parseRecords(stdout)
    const player = (side: string, key: Key) => ({
      ...{ type: 'player', side, hotkey: key.hotkey, model: modelOf(key), revision: REVISION },
    })
    expect(records.slice(0, 2)).toMatchObject([
      player('champion', weak),
      player('contender', strong),
    ])
    expect(records.at(-1)).toMatchObject({ type: 'end', outcome: 'contender' })
    expect(new Set(models)).toEqual(new Set([modelOf(strong), modelOf(weak)]))
    const [first] = (await readFile(join(root, 'both', 'samples.jsonl'), 'utf8')).split('\n')
    expect(JSON.parse(first ?? '')).toMatchObject({
      champion: expect.stringContaining(`uid 1, ${weak.hotkey}: ${modelOf(weak)} at revision`),
    })
  })

  it('plays a uid against a skill, and does not continue the duel after another commitment', async () => {
    const words = ['mixed', '1.0', '1'] as const
    const first = await onNetwork(...words)
    expect(parseRecords(first.stdout).at(-1)).toMatchObject({ type: 'end', outcome: 'champion' })
    expect(parseRecords((await onNetwork(...words)).stdout)).toMatchObject([
      { type: 'player', side: 'contender' },
      { type: 'resumed' },
      { type: 'end' },
    ])
    await commitMiner(weak, await serveSkill(0.2), 'ef'.repeat(20))
    const changed = await onNetwork(...words)
    expect([changed.code, changed.stderr]).toEqual([
      2,
      expect.stringContaining('contains another duel'),
    ])
  })

  it('rejects uids of no miner, uids without a network, and a network without a uid', async () => {
    const names = { [silent.hotkey]: '<silent>', [validator.hotkey]: '<validator>' }
    const onNetworkWords = [
      ['0', '4'],
      ['2', '0'],
      ['0', '3'],
      ['0.6', 'perfect'],
    ] as const
    const without = ['0', '1', '17', '+1', ' 1'].map((uid) => ['0.5', uid] as const)
    const screens: string[] = []
    for (const words of [...onNetworkWords, ...without]) {
      const isOnNetwork = onNetworkWords.includes(words as (typeof onNetworkWords)[number])
      const ended = await (isOnNetwork ? onNetwork : duel)('refused', ...words)
      expect([ended.code, ended.stdout], words.join()).toEqual([2, ''])
      const line = `$ af duel ${words.map((word) => JSON.stringify(word)).join(' ')}`
      screens.push(`${line}${isOnNetwork ? ' --network <chain>' : ''}\n${ended.stderr}`)
    }
    const shown = screens.join('\n').replace(/5\w{47}/g, (key) => names[key] ?? key)
    await expect(shown).toMatchFileSnapshot('snapshots/duel-uids.txt')
  })
})
