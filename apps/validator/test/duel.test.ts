import { cp, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { account, encodeCommitment, type LocalChain } from '@affine/chain'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { completion, type Seen, serve } from '../../../packages/miners/test/servers.ts'
import type { Written } from '../../../packages/terminal/test/within.ts'
import { runAf } from '../../../test/in-process.ts'
import { testFolder } from '../../../test/test-folder.ts'
import { closeServers } from '../../../test/web-server.ts'
import {
  createChain,
  parseRecords,
  serveGrowingChain,
  servePlayer,
  startAf,
  writeIn,
} from './commands.ts'

const root = testFolder('af-duel')

afterAll(closeServers)

const duel = (...words: readonly string[]): Promise<Written> => runAf(['duel', ...words])
const ANOTHER = /^af: .* contains another duel: .* --out, .*\n$/
const resultIn = async (out: string) => JSON.parse(await readFile(join(out, 'result.json'), 'utf8'))
const linesIn = async (out: string): Promise<readonly string[]> =>
  (await readFile(join(out, 'samples.jsonl'), 'utf8').catch(() => '')).split('\n').slice(0, -1)

describe('af duel', () => {
  it('continues an interrupted duel without repeating a challenge', async () => {
    const out = join(root, 'broken')
    const { url } = await servePlayer({ skill: 0.75, seed: 'slow' }, 10)
    const two = ['--env', 'tictactoe-v0', 'mult8-v0']
    const words = ['0.5', url, ...two, '--ahead', '8', '--out', out, '--json']
    const first = startAf(['duel', ...words])
    while ((await linesIn(out)).length < 20) await sleep(5)
    const stderr = expect.stringMatching(
      /^stopped after \d+ challenges: to continue, repeat the command\n$/,
    )
    expect(await first.stop()).toEqual({ code: 130, stdout: '', stderr })
    const stored = await linesIn(out)
    expect((await readdir(out)).sort()).toEqual(['.gitignore', 'lock', 'samples.jsonl'])

    const again = await duel(...words)
    expect(again.code).toBe(0)
    const [resumed, end] = parseRecords(again.stdout)
    expect(resumed).toEqual({ type: 'resumed', samples: stored.length - 1 })
    expect(await resultIn(out)).toMatchObject({ outcome: end.outcome, envs: end.envs })
    const lines = await linesIn(out)
    expect(lines.slice(0, stored.length)).toEqual(stored)
    const places = lines.slice(1).map((line) => JSON.parse(line))
    expect(new Set(places.map(({ env, index }) => `${env}#${index}`)).size).toBe(places.length)
  })

  it('refuses the folder of another duel, and an altered folder', async () => {
    const out = join(root, 'mine')
    const ended = await duel('random', 'perfect', '--out', out)
    expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining(out) })
    expect(await resultIn(out)).toMatchObject({ outcome: 'contender' })
    const before = await linesIn(out)
    expect(before.length).toBeLessThan(200)
    const options = ['--env mult8-v0', '--model other']
    for (const other of ['perfect random', ...options.map((each) => `random perfect ${each}`)]) {
      const refused = await duel(...other.split(' '), '--out', out)
      expect([refused.code, refused.stderr]).toEqual([2, expect.stringMatching(ANOTHER)])
    }
    expect(await linesIn(out)).toEqual(before)
    const altered = join(root, 'altered')
    await cp(out, altered, { recursive: true })
    await writeIn(altered, `${before[0]}\nnot mine\n${before[1]}\n`, 'samples.jsonl')
    const { code, stderr } = await duel('random', 'perfect', '--out', altered)
    expect([code, stderr]).toEqual([4, expect.stringContaining('samples.jsonl, line 2: ')])
  })

  it('exits with 4 and no winner if a player stops replying after the first prompt', async () => {
    for (const role of ['champion', 'contender']) {
      const { url } = await serve((index, _, response) =>
        response.writeHead(index === 0 ? 200 : 404).end(completion('any')),
      )
      const out = join(root, `never-${role}`)
      const two = role === 'champion' ? [url, '0.5'] : ['0.5', url]
      const ended = await duel(...two, '--env', 'tictactoe-v0', '--out', out)
      const stderr = expect.stringMatching(`the ${role} .*status 404`)
      expect(ended).toMatchObject({ code: 4, stderr })
      expect(ended.stdout).not.toMatch(/throne|holds/)
      expect((await readdir(out)).sort()).toEqual(['.gitignore', 'lock', 'samples.jsonl'])
    }
  })
})

describe('af duel of uids', () => {
  const REVISION = 'ab'.repeat(20)
  const keys = [1, 2, 3, 4].map((byte) => account(new Uint8Array(32).fill(byte)))
  const [strong, weak, silent, validator] = keys as [Key, Key, Key, Key]
  type Key = ReturnType<typeof account>
  let chain: LocalChain
  let network: Awaited<ReturnType<typeof serveGrowingChain>>
  let seen: readonly Seen[]

  const modelOf = ({ hotkey }: Key): string => `me/${hotkey}`
  /** Commits a new reference miner. Resolves with its requests. */
  async function commitMiner(key: Key, skill: number, revision = REVISION) {
    const { url: chute, seen } = await servePlayer({ skill, seed: 'uids' })
    const miner = { model: modelOf(key), revision, chute }
    await chain.commit(key, encodeCommitment({ kind: 'miner', ...miner }))
    return seen
  }

  beforeAll(async () => {
    chain = createChain({ neurons: keys.map(({ hotkey }) => ({ hotkey, stake: 0n })) })
    network = await serveGrowingChain(chain)
    await commitMiner(strong, 1)
    seen = await commitMiner(weak, 0.2)
    const seal = {
      kind: 'seal',
      epoch: 1,
      head: 'cd'.repeat(32),
      url: 'https://v.example',
    } as const
    await chain.commit(validator, encodeCommitment(seal))
  })
  afterAll(() => network[Symbol.asyncDispose]())

  const duelIn = (out: string, ...words: readonly string[]): Promise<Written> =>
    duel(...words, '--env', 'mult8-v0', '--json', '--out', join(root, out))
  const onNetwork = (out: string, ...words: readonly string[]): Promise<Written> =>
    duelIn(out, ...words, '--network', network.url)

  it('plays the committed miners with their committed models', async () => {
    const { code, stdout, stderr } = await onNetwork('both', '1', '0')
    expect([code, stderr]).toEqual([0, ''])
    const records = parseRecords(stdout)
    const player = (side: string, key: Key) => ({
      ...{ type: 'player', side, hotkey: key.hotkey, model: modelOf(key), revision: REVISION },
    })
    const players = [player('champion', weak), player('contender', strong)]
    expect(records.slice(0, 2)).toMatchObject(players)
    expect(records.at(-1)).toMatchObject({ type: 'end', outcome: 'contender' })
    const models = seen.map(({ body }) => JSON.parse(body).model)
    expect(new Set(models)).toEqual(new Set([modelOf(weak)]))
    const [first = ''] = await linesIn(join(root, 'both'))
    const champion = `uid 1, ${weak.hotkey}: ${modelOf(weak)} at revision`
    expect(JSON.parse(first).champion).toContain(champion)
  })

  it('plays a uid against a skill, and does not continue the duel after another commitment', async () => {
    const words = ['mixed', '1.0', '1'] as const
    const first = await onNetwork(...words)
    expect(parseRecords(first.stdout).at(-1)).toMatchObject({ type: 'end', outcome: 'champion' })
    const again = parseRecords((await onNetwork(...words)).stdout)
    expect(again.map(({ type }) => type)).toEqual(['player', 'resumed', 'end'])
    expect(again[0].side).toBe('contender')
    await commitMiner(weak, 0.2, 'ef'.repeat(20))
    const changed = await onNetwork(...words)
    expect([changed.code, changed.stderr]).toEqual([2, expect.stringMatching(ANOTHER)])
  })

  it('rejects uids of no miner, uids without a network, and a network without a uid', async () => {
    const names = { [silent.hotkey]: '<silent>', [validator.hotkey]: '<validator>' }
    const chain = ['--network', network.url]
    const refused: string[][] = [
      ...[
        ['0', '4'],
        ['2', '0'],
        ['0', '3'],
        ['0.6', 'perfect'],
      ].map((two) => [...two, ...chain]),
      ...['0', '1', '17', '+1', ' 1'].map((uid) => ['0.5', uid]),
    ]
    const screens: string[] = []
    for (const [one = '', other = '', ...words] of refused) {
      const ended = await duelIn('refused', one, other, ...words)
      expect([ended.code, ended.stdout], `${one} ${other}`).toEqual([2, ''])
      const line = `$ af duel ${JSON.stringify(one)} ${JSON.stringify(other)}`
      screens.push(`${line}${words.length > 0 ? ' --network <chain>' : ''}\n${ended.stderr}`)
    }
    const shown = screens.join('\n').replace(/5\w{47}/g, (key) => names[key] ?? key)
    await expect(shown).toMatchFileSnapshot('snapshots/duel-uids.txt')
  })
})
