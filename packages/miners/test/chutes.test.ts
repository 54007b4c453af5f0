import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { PROTOCOL } from '@affine/duel'
import type { Message, Reply } from '@affine/envs'
import { afterAll, describe, expect, it } from 'vitest'
import { closeServers } from '../../../test/web-server.ts'
import type { EpochContext, Exchange, MinerEvent } from '../src/asking.ts'
import { openChutes } from '../src/chutes.ts'
import { fetchAccount } from '../src/chutes-key.ts'
import type { TargetMiner } from '../src/deployment/deployment.ts'
import { TEMPLATES } from '../src/deployment/templates.ts'
import { NODE_CALLER } from '../src/node/exchange.ts'
import {
  accountWith,
  answers,
  completion,
  described,
  fileOf,
  type Handle,
  NETUID,
  published,
  replies,
  serveChutes,
  wakeOf,
} from './servers.ts'

const KEY = 'cpk_0123456789abcdef.secret'
const PROMPT: readonly Message[] = [{ role: 'user', content: 'What is it?' }]
const NO_REPLY = { fault: 'no-reply' }
const A1 = expect.objectContaining({ content: 'A1' })
const PAUSE_MS = 300
/** A pause so long that one account check covers all refusals of a test. */
const RARE_MS = 600_000

const minerOf = (hotkey: string, owner: string, digit: string): TargetMiner => ({
  hotkey,
  model: `${owner}/${hotkey}`,
  revision: digit.repeat(40),
  chute: randomUUID(),
  templates: PROTOCOL.templates,
})
const [MINER, OTHER] = [minerOf('5Miner', 'one', 'a'), minerOf('5Other', 'two', 'd')]
const [POST, OTHER_POST] = ['/me-one/v1/chat/completions', '/me-two/v1/chat/completions']
const DESCRIPTION = `/chutes/${MINER.chute}`

/** Serves a stand-in for Chutes with both miners' chutes, and opens its agents. */
async function chutes(
  routes: Readonly<Record<string, Handle>> = {},
  setting: { readonly pauseMs?: number; readonly netuid?: number } = {},
) {
  const server = await serveChutes({
    ...published(MINER, 'me-one'),
    ...published(OTHER, 'me-two'),
    '/users/me': answers(200, { balance: 12.5 }),
    [POST]: replies,
    [OTHER_POST]: replies,
    ...routes,
  })
  const events: MinerEvent[] = []
  const on = (event: MinerEvent) => void events.push(event)
  const options = { ...NODE_CALLER, apiKey: KEY, concurrency: 8, on, pauseMs: PAUSE_MS }
  const opened = openChutes({ ...options, ...setting, ...server.place })
  /** Asks a miner, in a new epoch by default. If a clock is given, the call ends with it. */
  const ask = (miner = MINER, epoch: EpochContext = phase(), clock?: AbortController) =>
    Promise.resolve(
      opened.agent(miner, 10_000, epoch)(PROMPT, clock && { end: clock.signal, isGame: true }),
    )
  const problems = () => events.filter((event) => event.type === 'problem')
  /** Resolves after `count` reported problems. */
  const waitForProblems = async (count: number): Promise<void> => {
    while (problems().length < count) await sleep(5)
  }
  /** Resolves after `count` requests for a path. */
  const waitForRequests = async (path: string, count: number): Promise<void> => {
    while (server.requestsTo(path).length < count) await sleep(5)
  }
  return { ...server, ...opened, ask, events, problems, waitForProblems, waitForRequests }
}
let epochs = 0
const phase = () => Object.assign(new AbortController(), { epoch: epochs++ })

/** Returns the results of `count` calls of `ask`. */
const times = <Value>(count: number, ask: () => Value): Value[] =>
  Array.from({ length: count }, ask)

/** Answers with the handle that `choose` returns for the number of earlier requests for the path. */
const chooseHandle =
  (choose: (index: number) => Handle): Handle =>
  (...args) =>
    choose(args[2])(...args)

afterAll(closeServers)

describe.concurrent('a miner on Chutes', () => {
  it('is called at its own host with the key and its model; the reply has the invocation id', async () => {
    const { ask, seen, waitForRequests } = await chutes()
    const reply = (await ask()) as Reply
    await waitForRequests(wakeOf(MINER), 1)
    expect(reply).toEqual(A1)
    expect(reply.invocation).toMatch(/^[0-9a-f-]{36}$/)
    const folder = `/api/models/${MINER.model}/tree/${MINER.revision}/additional_chat_templates`
    const files = [...Object.keys(TEMPLATES.modelFiles).map((name) => fileOf(MINER, name)), folder]
    const requests = seen.map(({ method, url }) => `${method} ${url}`)
    expect(requests.slice(0, -2)).toEqual([
      `GET ${DESCRIPTION}`,
      `GET /chutes/code/${MINER.chute}`,
      ...files.map((file) => `GET ${file}`),
    ])
    expect(requests.slice(-2).sort()).toEqual([`GET ${wakeOf(MINER)}`, `POST ${POST}`])
    // Hugging Face does not receive the key.
    for (const { url, headers } of seen)
      expect(headers.authorization).toBe(files.includes(url) ? undefined : `Bearer ${KEY}`)
    const [post] = seen.filter(({ method }) => method === 'POST')
    expect(JSON.parse(post?.body ?? '')).toEqual({ model: MINER.model, messages: PROMPT })
  })

  it('is woken and asked once its model is public, if the files of the model are missing at first', async () => {
    const file = fileOf(MINER, 'tokenizer_config.json')
    const shows = published(MINER, 'me-one')[file] as Handle
    const { ask, requestsTo, seen, problems } = await chutes({
      [file]: chooseHandle((index) => {
        expect([...requestsTo(wakeOf(MINER)), ...requestsTo(POST)]).toEqual([])
        return index < 2 ? answers(404) : shows
      }),
    })
    const epoch = phase()
    expect(await ask(MINER, epoch)).toEqual(A1)
    expect([requestsTo(file).length, requestsTo(DESCRIPTION).length]).toEqual([3, 3])
    expect(problems()).toMatchObject(Array(2).fill({ error: { code: 'MODEL_NOT_SHOWN' } }))
    expect(seen.filter(({ url }) => url === '/users/me')).toEqual([])
  })

  it('is woken once an epoch after its check, and again if Chutes fails to wake it', async () => {
    const { ask, requestsTo, waitForRequests } = await chutes({
      [wakeOf(MINER)]: chooseHandle((index) => answers(index === 0 ? 503 : 200)),
      [DESCRIPTION]: chooseHandle(() => {
        expect(requestsTo(wakeOf(MINER))).toEqual([])
        return answers(200, described(MINER, 'me-one'))
      }),
    })
    const epoch = phase()
    expect(await Promise.all(times(5, () => ask(MINER, epoch)))).toEqual(Array(5).fill(A1))
    await waitForRequests(wakeOf(MINER), 2)
    expect(await ask(MINER, epoch)).toEqual(A1)
    expect(requestsTo(wakeOf(MINER)).length).toBe(2)
  })

  it('is checked once an epoch for any number of calls, and again in the next epoch', async () => {
    let name = MINER.model
    const { ask, requestsTo, problems } = await chutes({
      [DESCRIPTION]: chooseHandle(() => answers(200, { ...described(MINER, 'me-one'), name })),
    })
    const [epoch, next] = [phase(), phase()]
    const calls = times(20, () => ask(MINER, epoch))
    expect(await Promise.all(calls)).toEqual(Array(20).fill(A1))
    expect(requestsTo(DESCRIPTION).length).toBe(1)
    name = 'another/model'
    expect(await ask(MINER, epoch)).toEqual(A1)
    for (let i = 0; i < 3; i++) expect(await ask(MINER, next)).toEqual(NO_REPLY)
    expect(requestsTo(DESCRIPTION).length).toBe(2)
    const { hotkey, model, chute } = MINER
    const task = { kind: 'miner', hotkey, model, chute }
    expect(problems()).toMatchObject([{ task, error: { code: 'MODEL' } }])
  })

  it.each([
    ['an empty id', { 'x-chutes-invocationid': '' }],
    ['a malformed id', { 'x-chutes-invocationid': 'f'.repeat(32) }],
    ['two ids', { 'x-chutes-invocationid': [randomUUID(), randomUUID()] }],
  ])('is asked again if a reply has %s', async (_, headers) => {
    const { ask, requestsTo } = await chutes({
      [POST]: chooseHandle((index) => {
        if (index > 1) return replies
        return (_, response) => response.writeHead(200, headers).end(completion('B2'))
      }),
    })
    expect(await ask()).toEqual(A1)
    expect(requestsTo(POST).length).toBe(3)
  })
})

describe.concurrent('a key that is refused', () => {
  it('pauses all sampling until it works, with one check and one event per pause', async () => {
    let isRefused = true
    const refuseOr = (otherwise: Handle) =>
      chooseHandle(() => (isRefused ? answers(401, { balance: 3 }) : otherwise))
    const { ask, requestsTo, seen, problems, waitForProblems } = await chutes({
      '/users/me': refuseOr(answers(200, { balance: 3 })),
      [POST]: refuseOr(replies),
      [OTHER_POST]: refuseOr(replies),
    })
    const epoch = phase()
    const askBoth = (count: number) =>
      [MINER, OTHER].flatMap((miner) => times(count, () => ask(miner, epoch)))
    const calls = askBoth(4)
    await waitForProblems(2)
    calls.push(...askBoth(22))
    await waitForProblems(5)
    // Only the calls that were pending at the first refusal were sent.
    expect(seen.filter(({ method }) => method === 'POST').length).toBeLessThanOrEqual(8)
    // One more check may be pending.
    expect(requestsTo('/users/me').length - problems().length).toBeOneOf([0, 1])
    isRefused = false
    expect(await Promise.all(calls)).toEqual(Array(calls.length).fill(A1))
    const messages = [...new Set(problems().map(({ error }) => error.message))]
    expect(messages).toEqual([expect.stringContaining('status 401')])
    expect(messages.join()).not.toContain('secret')
    const task = { kind: 'chutes' }
    expect(problems()[0]).toMatchObject({ task, error: { code: 'key-refused' } })
  })

  it.each<[what: string, account: Handle, refusal: number]>([
    ['has no money', answers(200, accountWith(0)), 402],
    ['has lost its access', answers(200, accountWith(3, { netuids: [] })), 404],
    ['cannot be fetched', (request) => request.socket.resetAndDestroy(), 402],
  ])('pauses calls while its account %s, and makes them later', async (_, account, refusal) => {
    let isBad = false
    const { ask, waitForProblems } = await chutes(
      {
        '/users/me': chooseHandle(() => (isBad ? account : answers(200, accountWith(3)))),
        [POST]: chooseHandle(() => (isBad ? answers(refusal) : replies)),
      },
      { netuid: NETUID },
    )
    const epoch = phase()
    expect(await ask(MINER, epoch)).toEqual(A1)
    isBad = true
    const call = ask(MINER, epoch)
    await waitForProblems(2)
    isBad = false
    expect(await call).toEqual(A1)
  })

  it('does not delay other miners while the account check is pending', async () => {
    let tell: (() => void) | undefined
    const { ask } = await chutes({
      '/users/me': (...args) => {
        tell = () => answers(200, { balance: 1 })(...args)
      },
      [POST]: answers(402),
    })
    const epoch = phase()
    const refused = ask(MINER, epoch)
    while (tell === undefined) await sleep(5)
    expect(await ask(OTHER, epoch)).toEqual(A1)
    tell()
    epoch.abort()
    expect(await refused).toEqual(NO_REPLY)
  })

  it.each([401, 403])(
    'repeats the request for a description after a %i, and reports no changed chute',
    async (refusal) => {
      let isRefused = true
      const refuseOr = (value: unknown) =>
        chooseHandle(() => answers(isRefused ? refusal : 200, value))
      const { ask, hasChanged, problems, waitForProblems } = await chutes({
        '/users/me': refuseOr({ balance: 3 }),
        [DESCRIPTION]: refuseOr(described(MINER, 'me-one')),
      })
      const epoch = phase()
      const call = ask(MINER, epoch)
      await waitForProblems(1)
      isRefused = false
      expect(await call).toEqual(A1)
      isRefused = true
      const changed = hasChanged(MINER, epoch)
      await waitForProblems(problems().length + 1)
      isRefused = false
      expect(await changed).toBe(false)
    },
  )

  it('does not cost the lane if the platform could not report the account for some time', async () => {
    const { ask, waitForRequests, problems } = await chutes({
      '/users/me': chooseHandle((index) => answers(index < 2 ? 503 : 200, { balance: 1 })),
      [POST]: answers(403),
      [OTHER_POST]: () => {},
    })
    const epoch = phase()
    expect(await ask(MINER, epoch)).toEqual(NO_REPLY)
    expect(problems().map(({ error }) => error.code)).toEqual([
      'account-unknown',
      'account-unknown',
      'status',
    ])
    const silent = ask(OTHER, epoch)
    await waitForRequests(OTHER_POST, 1)
    epoch.abort()
    expect(await silent).toEqual(NO_REPLY)
  })

  it('makes the agents of all miners reject at the end of the epoch', async () => {
    const { ask, waitForProblems } = await chutes({
      '/users/me': answers(401),
      [POST]: answers(401),
      [OTHER_POST]: answers(503),
    })
    const epoch = phase()
    const calls = [MINER, OTHER].flatMap((miner) => times(12, () => ask(miner, epoch)))
    const ended = Promise.allSettled(calls)
    await waitForProblems(2)
    epoch.abort()
    for (const { status } of await ended) expect(status).toBe('rejected')
    await expect(ask(MINER, epoch)).rejects.toMatchObject({ code: 'key-refused' })
  })

  it('makes a call reject if its clock ran during the pause, and not if its clock ran later', async () => {
    let isPaid = false
    const { ask, waitForRequests, waitForProblems, events } = await chutes({
      '/users/me': chooseHandle(() => answers(200, { balance: isPaid ? 1 : 0 })),
      [POST]: chooseHandle(() => (isPaid ? () => {} : answers(402))),
    })
    const [epoch, clock, next] = [phase(), phase(), phase()]
    const call = ask(MINER, epoch, clock)
    await waitForProblems(1)
    clock.abort()
    isPaid = true
    await expect(call).rejects.toMatchObject({ code: 'key-refused' })
    await sleep(PAUSE_MS) // the account is not checked again for this time
    const stalled = ask(MINER, epoch, next)
    await waitForRequests(POST, 2)
    next.abort()
    expect(await stalled).toEqual(NO_REPLY)
    const calls = events.filter(({ type }) => type === 'call')
    expect(calls.at(-1)).toMatchObject({ outcome: 'miner' })
  })

  it('makes a call reject if the account of the key is known only after the end of the epoch', async () => {
    const { ask, waitForRequests } = await chutes({
      [POST]: answers(402),
      '/users/me': (...args) => void setTimeout(() => answers(200, { balance: 0 })(...args), 300),
    })
    const epoch = phase()
    const call = ask(MINER, epoch).catch((error: Error) => error)
    await waitForRequests('/users/me', 1)
    epoch.abort()
    expect(await call).toMatchObject({ code: 'key-refused' })
  })

  it('is not blamed if only the requests to one chute are refused: its miner has no reply', async () => {
    const unpaying = answers(402, { detail: 'the creator of this chute has zero balance' })
    const { ask, requestsTo, waitForRequests, problems } = await chutes(
      { [POST]: unpaying },
      { pauseMs: RARE_MS },
    )
    const epoch = phase()
    const unpaid = times(8, () => ask(MINER, epoch))
    const others = times(30, () => ask(OTHER, epoch))
    expect(await Promise.all(others)).toEqual(Array(30).fill(A1))
    await waitForRequests(POST, 9)
    epoch.abort()
    expect(await Promise.all(unpaid)).toEqual(Array(8).fill(NO_REPLY))
    expect(problems()).toMatchObject([{ task: { kind: 'miner' }, error: { code: 'undelivered' } }])
    expect(requestsTo('/users/me').length).toBe(1)
  })
})

describe.concurrent('an account without access to the subnet’s chutes', () => {
  it.each([
    ['has no permission mask', { permissions_bitmask: null }],
    ['has access to another subnet', { netuids: [64] }],
  ])(
    'blocks all calls while it %s, reports the missing access, and makes the calls afterwards',
    async (_, more) => {
      let hasAccess = false
      const { ask, seen, problems, waitForProblems } = await chutes(
        {
          '/users/me': chooseHandle(() => answers(200, accountWith(3, hasAccess ? {} : more))),
          [POST]: chooseHandle(() => (hasAccess ? replies : answers(404))),
        },
        { netuid: NETUID },
      )
      const calls = [ask(MINER), ask(OTHER)]
      await waitForProblems(3)
      expect(new Set(seen.map(({ url }) => url))).toEqual(new Set(['/users/me']))
      expect(problems()[0]).toMatchObject({ error: { code: 'no-access' } })
      hasAccess = true
      expect(await Promise.all(calls)).toEqual([A1, A1])
    },
  )

  it.each<[role: string, more: object]>([
    ['subnet_invoke', {}],
    ['subnet_admin', { permissions_bitmask: 1 << 10 }],
  ])(
    'has access with %s: a 404 is the asked miner’s fault, and other miners are asked',
    async (_, more) => {
      const routes = { '/users/me': answers(200, accountWith(3, more)), [POST]: answers(404) }
      const setting = { pauseMs: RARE_MS, netuid: NETUID }
      const { ask, requestsTo, problems } = await chutes(routes, setting)
      const epoch = phase()
      expect(await ask(MINER, epoch)).toEqual(NO_REPLY)
      expect(requestsTo(POST).length).toBe(1)
      expect(await ask(OTHER, epoch)).toEqual(A1)
      expect(problems()).toMatchObject([{ error: { code: 'status', status: 404 } }])
    },
  )

  it('does not block calls while Chutes cannot report the account', async () => {
    const { ask } = await chutes({ '/users/me': answers(503) }, { netuid: NETUID })
    expect(await ask()).toEqual(A1)
  })
})

describe('a key', () => {
  it.each(['', 'two words', 'line\nfeed', 'cpk_ü'])('rejects %j without quoting it', (apiKey) => {
    const make = () => openChutes({ ...NODE_CALLER, apiKey, concurrency: 1 })
    expect(make).toThrow(new RangeError('"apiKey" expected printable ASCII without spaces'))
  })

  it('is sent only to hosts of Chutes, over https', async () => {
    const { place } = await chutes()
    const origins = new Set<string>()
    const exchange: Exchange = (query) => {
      if (query.headers !== undefined) origins.add(new URL(query.url).origin)
      return place.exchange(query)
    }
    const options = { ...NODE_CALLER, apiKey: KEY, concurrency: 1, exchange }
    expect(await openChutes(options).agent(MINER, 1000, phase())(PROMPT)).toEqual(A1)
    await fetchAccount(KEY, options)
    expect([...origins]).toEqual(['https://api.chutes.ai', 'https://me-one.chutes.ai'])
  })

  it.each([
    [200, { balance: 12.5 }, 12.5],
    [200, { username: 'me' }, Number.NaN],
    [401, { balance: 4 }, Number.NaN],
  ])('reads the account of a response with status %i and %j', async (status, response, balance) => {
    const headers = { date: 'Thu, 01 Jan 1970 00:00:08 GMT' }
    const exchange: Exchange = async ({ url, body }) => {
      expect([url, body]).toEqual(['https://api.chutes.ai/users/me', undefined])
      return { status, headers, text: JSON.stringify(response), ms: 1000 }
    }
    const account = await fetchAccount(KEY, { exchange, now: () => 10_000 })
    expect(account).toEqual({ status, balance, ms: 1000, aheadMs: 1000, netuids: [], roles: [] })
  })
})
