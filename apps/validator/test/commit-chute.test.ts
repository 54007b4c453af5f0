import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { account, encodeCommitment, type LocalChain } from '@affine/chain'
import { LOCAL_NETWORK } from '@affine/settlement'
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  answers,
  described,
  fileOf,
  type Handle,
  plays,
  published,
  replies,
} from '../../../packages/miners/test/servers.ts'
import { testFolder } from '../../../test/test-folder.ts'
import { closeServers } from '../../../test/web-server.ts'
import { commit } from '../src/commands/commit.ts'
import { duel } from '../src/commands/duel.ts'
import {
  type CommandResult,
  createChain,
  putOnChutes,
  runCommand,
  serveGrowingChain,
  writeIn,
} from './commands.ts'

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

const TOKENIZER = fileOf(MINER, 'tokenizer_config.json')

const folder = testFolder('commit-chute')

beforeEach(() => void vi.stubEnv('CHUTES_API_KEY', KEY))
afterEach(() => void vi.unstubAllEnvs())
afterAll(closeServers)

type Routes = Readonly<Record<string, Handle>>

/** Runs a command on a network whose miners are on Chutes, and returns what was requested there. */
async function onChutes(
  routes: Routes,
  act: (url: string, chain: LocalChain) => Promise<CommandResult>,
  templates: string = LOCAL_NETWORK.protocol.templates,
) {
  const chain = createChain({ neurons: [{ hotkey, stake: 0n }] })
  const account = { '/users/me': answers(200, { balance: 12.5 }) }
  const protocol = { ...LOCAL_NETWORK.protocol, templates }
  const { seen } = await putOnChutes(
    chain,
    { ...account, [POST]: replies, ...routes },
    { protocol },
  )
  await using served = await serveGrowingChain(chain)
  const done = await act(served.url, chain)
  const { commitments } = await chain.snapshot(chain.height)
  return { ...done, seen, asked: seen.map(({ method, url }) => `${method} ${url}`), commitments }
}

/** Runs `af commit` on a network whose miners are on Chutes. */
async function committing(routes: Routes, templates?: string) {
  const key = await writeIn(folder, Buffer.from(SECRET).toString('hex'))
  const what = ['--model', MODEL, '--revision', REVISION, '--chute', CHUTE, '--key', key, '--json']
  return onChutes(routes, (url) => runCommand(commit, '--network', url, ...what), templates)
}

describe('af commit of a chute', () => {
  it('checks the chute, plays with it like a validator, and commits it', async () => {
    const routes = { ...asCommitted, [POST]: plays }
    const { error, records, seen, asked, commitments } = await committing(routes)
    expect(error).toBeUndefined()
    expect(records).toMatchObject([
      { type: 'check', check: 'answer', result: 'ok' },
      ...Object.keys(LOCAL_NETWORK.protocol.envs).map((env) => ({
        ...{ type: 'check', check: 'replies', result: 'ok', env },
      })),
      { type: 'committed', hotkey, says: { chute: CHUTE } },
      { type: 'place' },
    ])
    expect(commitments).toHaveLength(1)
    expect(asked.slice(0, 3)).toEqual([`GET ${LOOK_UP}`, `GET ${CODE}`, `GET ${TOKENIZER}`])
    for (const { url, headers } of seen)
      expect(headers.authorization).toBe(url.includes(MODEL) ? undefined : `Bearer ${KEY}`)
    const [first] = seen.filter(({ url }) => url === POST)
    const content = expect.stringContaining('Tic-tac-toe')
    expect(JSON.parse(first?.body ?? '')).toEqual({
      model: MODEL,
      messages: [{ role: 'user', content }],
    })
  })

  it('refuses a chute if this release lacks the list of chat templates to check it with', async () => {
    const routes = { ...asCommitted, [POST]: plays }
    const { error, records, commitments } = await committing(routes, 'ff'.repeat(32))
    expect(error?.message).toMatch(/^not committed: /)
    expect(records).toMatchObject([
      { check: 'answer', result: 'warn', text: expect.stringContaining('no list of templates') },
    ])
    expect(commitments).toEqual([])
  })

  const wrong: readonly [string, Routes, RegExp][] = [
    [
      'of another model',
      { [LOOK_UP]: answers(200, { ...DESCRIBED, name: 'you/other' }) },
      /MODEL: its name is "you\/other", not the committed/,
    ],
    [
      'that refuses calls',
      { ...asCommitted, [POST]: answers(403) },
      /status 403, .*: start the server without an API key/,
    ],
  ]
  it.each(wrong)('refuses a chute %s with a reason; commits nothing', async (_, routes, why) => {
    const { error, records, asked, commitments } = await committing(routes)
    const message = expect.stringContaining('not committed')
    expect(error).toMatchObject({ name: 'Error', message })
    expect(records).toMatchObject([{ check: 'answer', result: 'fail' }])
    expect(records[0]?.text).toMatch(/^\S+ gives no usable reply: /)
    expect(records[0]?.text).toMatch(why)
    expect(asked.filter((each) => each === `POST ${POST}`).length).toBeLessThanOrEqual(1)
    expect(commitments).toEqual([])
  })
})

it("af duel checks a uid's deployment for the first prompt and again for the duel, then plays", async () => {
  const routes = { ...asCommitted, [POST]: plays }
  const { error, records, asked } = await onChutes(routes, async (url, chain) => {
    await chain.commit(account(SECRET), encodeCommitment({ kind: 'miner', ...MINER }))
    const words = ['0', 'random', '--env', 'mult8-v0', '--out', join(folder, 'duel'), '--json']
    return runCommand(duel, ...words, '--network', url)
  })
  expect(error).toBeUndefined()
  expect(records).toMatchObject([
    { type: 'player', side: 'champion', uid: 0, ...MINER },
    { type: 'end', outcome: 'champion' },
  ])
  expect(asked[0]).toBe(`GET ${LOOK_UP}`)
  for (const path of [LOOK_UP, CODE, TOKENIZER])
    expect(asked.filter((each) => each === `GET ${path}`)).toHaveLength(2)
  expect(asked.filter((each) => each === `POST ${POST}`).length).toBeGreaterThan(20)
})
