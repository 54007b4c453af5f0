import { randomBytes, randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { account, encodeCommitment, LocalChain } from '@affine/chain'
import { LOCAL_NETWORK, NETWORKS } from '@affine/settlement'
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  answers,
  described,
  fileOf,
  type Handle,
  plays,
  published,
  replies,
  serveChutes,
} from '../../../packages/miners/test/servers.ts'
import { testFolder } from '../../../test/test-folder.ts'
import { closeServers } from '../../../test/web-server.ts'
import { commit } from '../src/commands/commit.ts'
import { duel } from '../src/commands/duel.ts'
import { type CommandResult, runCommand, serveGrowingChain } from './commands.ts'

// Only the address of Chutes is replaced: its substitute is on loopback.
const standIn = vi.hoisted(() => ({ place: {} }))
vi.mock('@affine/miners', async (original) => {
  const real = await original<typeof import('@affine/miners')>()
  const openChutes: typeof real.openChutes = (options) =>
    real.openChutes({ ...options, ...standIn.place })
  return { ...real, openChutes }
})

const SECRET = new Uint8Array(32).fill(9)
const { hotkey } = account(SECRET)
const KEY = 'cpk_0123456789abcdef.secret'
const CHUTE = randomUUID()
const MODEL = `me/${hotkey}`
const POST = '/me-one/v1/chat/completions'
const LOOK_UP = `/chutes/${CHUTE}`
const CODE = `/chutes/code/${CHUTE}`
const REVISION = 'abc123de'.repeat(5)
const MINER = { hotkey, model: MODEL, revision: REVISION, chute: CHUTE }
const DESCRIBED = described(MINER, 'me-one')
const asCommitted = published(MINER, 'me-one')

const folder = testFolder('commit-chute')
let key: string

beforeEach(async () => {
  key = join(folder, 'key')
  await writeFile(key, Buffer.from(SECRET).toString('hex'), { mode: 0o600 })
  vi.stubEnv('CHUTES_API_KEY', KEY)
})
afterEach(() => vi.unstubAllEnvs())
afterAll(closeServers)

/** Runs a command on a network whose miners are on Chutes, and returns what was requested there. */
async function onChutes(
  routes: Readonly<Record<string, Handle>>,
  templates: string,
  act: (url: string, chain: LocalChain) => Promise<CommandResult>,
) {
  const random = () => randomBytes(32)
  const neurons = [{ hotkey, stake: 0n }]
  const chain = LocalChain.create({ netuid: 7, random, time: 1000, neurons })
  Object.assign(NETWORKS, {
    chutes: {
      ...LOCAL_NETWORK,
      protocol: { ...LOCAL_NETWORK.protocol, templates },
      genesis: chain.genesis,
      platform: 'chutes',
    },
  })
  const { place, seen } = await serveChutes({
    '/users/me': answers(200, { balance: 12.5 }),
    [POST]: replies,
    ...routes,
  })
  standIn.place = place
  await using served = await serveGrowingChain(chain)
  const done = await act(served.url, chain)
  const { commitments } = await chain.snapshot(chain.height)
  return { ...done, seen, asked: seen.map(({ method, url }) => `${method} ${url}`), commitments }
}

/** Runs `af commit` on a network whose miners are on Chutes. */
const committing = (
  routes: Readonly<Record<string, Handle>>,
  {
    chute = CHUTE,
    more = [],
    templates = LOCAL_NETWORK.protocol.templates,
  }: { chute?: string; more?: readonly string[]; templates?: string } = {},
) =>
  onChutes(routes, templates, (url) => {
    const options = ['--model', MODEL, '--revision', REVISION, '--chute', chute, '--json', ...more]
    return runCommand(commit, '--network', url, '--key', key, ...options)
  })

describe('af commit of a chute', () => {
  it('checks the chute, plays with it like a validator, and commits it', async () => {
    const routes = { ...asCommitted, [POST]: plays }
    const { error, records, seen, asked, commitments } = await committing(routes)
    expect(error).toBeUndefined()
    const trial = { type: 'check', check: 'replies', result: 'ok' }
    expect(records).toMatchObject([
      { type: 'check', check: 'answer', result: 'ok' },
      ...Object.keys(LOCAL_NETWORK.protocol.envs).map((env) => ({
        ...trial,
        text: expect.stringContaining(`${env}: `),
      })),
      { type: 'committed', hotkey, says: { chute: CHUTE } },
      { type: 'place' },
    ])
    expect(commitments).toHaveLength(1)
    const [described, source, file] = asked
    expect([described, source]).toEqual([`GET ${LOOK_UP}`, `GET ${CODE}`])
    expect(file).toBe(`GET ${fileOf(MINER, 'tokenizer_config.json')}`)
    for (const { url, headers } of seen)
      expect(headers.authorization).toBe(url.includes(MODEL) ? undefined : `Bearer ${KEY}`)
    const [first] = seen.filter(({ url }) => url === POST)
    const content = expect.stringContaining('Tic-tac-toe')
    expect(JSON.parse(first?.body ?? '')).toEqual({
      model: MODEL,
      messages: [{ role: 'user', content }],
    })
  })

  it('refuses a chute that this release cannot check', async () => {
    const routes = { ...asCommitted, [POST]: plays }
    const { error, records, commitments } = await committing(routes, { templates: 'ff'.repeat(32) })
    expect(error?.message).toMatch(/^not committed: /)
    expect(records).toMatchObject([
      { check: 'answer', result: 'warn', text: expect.stringContaining('no list of templates') },
    ])
    expect(commitments).toEqual([])
  })

  const wrong: readonly [string, Readonly<Record<string, Handle>>, RegExp][] = [
    [
      'of another model',
      { [LOOK_UP]: answers(200, { ...DESCRIBED, name: 'you/other' }) },
      /MODEL: its name is "you\/other", not the committed/,
    ],
    [
      'with another chat template',
      {
        ...asCommitted,
        [fileOf(MINER, 'tokenizer_config.json')]: answers(200, { chat_template: 'other' }),
      },
      /CHAT_TEMPLATE: tokenizer_config.json of .* has a chat template that is not on the list/,
    ],
    [
      'with a large file',
      {
        ...asCommitted,
        [fileOf(MINER, 'tokenizer_config.json')]: answers(200, 'x'.repeat(4_200_000)),
      },
      /MODEL_FILE: tokenizer_config.json of .* has more than 4194304 bytes/,
    ],
    [
      'that refuses calls',
      { ...asCommitted, [POST]: answers(403) },
      /status 403, .*: start the server without an API key/,
    ],
  ]
  it.each(wrong)('refuses a chute %s with a reason; commits nothing', async (_, routes, why) => {
    const { error, records, asked, commitments } = await committing(routes)
    expect(error).toMatchObject({
      name: 'Error',
      message: expect.stringContaining('not committed'),
    })
    expect(records).toMatchObject([{ check: 'answer', result: 'fail' }])
    expect(records[0]?.text).toMatch(/^\S+ gives no usable reply: /)
    expect(records[0]?.text).toMatch(why)
    expect(asked.filter((each) => each === `POST ${POST}`).length).toBeLessThanOrEqual(1)
    expect(commitments).toEqual([])
  })
})

describe('af duel of the uid of a chute', () => {
  const runDuel = (out: string, routes: Readonly<Record<string, Handle>>) =>
    onChutes(routes, LOCAL_NETWORK.protocol.templates, async (url, chain) => {
      await chain.commit(account(SECRET), encodeCommitment({ kind: 'miner', ...MINER }))
      const words = ['0', 'random', '--env', 'mult8-v0', '--out', join(folder, out), '--json']
      return runCommand(duel, ...words, '--network', url)
    })

  it('checks the deployment once for the first prompt and once for the duel, then plays', async () => {
    const { error, records, asked } = await runDuel('well', { ...asCommitted, [POST]: plays })
    expect(error).toBeUndefined()
    expect(records).toMatchObject([
      { type: 'player', side: 'champion', uid: 0, ...MINER },
      { type: 'end', outcome: 'champion' },
    ])
    expect(asked[0]).toBe(`GET ${LOOK_UP}`)
    for (const path of [LOOK_UP, CODE, fileOf(MINER, 'tokenizer_config.json')])
      expect(asked.filter((each) => each === `GET ${path}`)).toHaveLength(2)
    expect(asked.filter((each) => each === `POST ${POST}`).length).toBeGreaterThan(20)
  })
})
