import { randomUUID } from 'node:crypto'
import { Agent } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { PROTOCOL } from '@affine/duel'
import type { Message, Reply } from '@affine/envs'
import { afterAll, describe, expect, it } from 'vitest'
import type { Exchange, MinerEvent } from '../src/asking.ts'
import { openChutes } from '../src/chutes.ts'
import { chutesAccount } from '../src/chutes-key.ts'
import type { Asked } from '../src/deployment/deployment.ts'
import { TEMPLATES } from '../src/deployment/templates.ts'
import { NODE_CALLER } from '../src/node/exchange.ts'
import {
  accountWith,
  answers,
  closeServers,
  completion,
  described,
  fileOf,
  type Handle,
  ledTo,
  NETUID,
  published,
  replies,
  sends,
  serve,
  serveChutes,
} from './servers.ts'

const KEY = 'cpk_0123456789abcdef.secret'
const PROMPT: readonly Message[] = [{ role: 'user', content: 'What is it?' }]
const NO_REPLY = { fault: 'no-reply' }
const PAUSE_MS = 300
/** So that whatever is refused while a test runs is one look at the account. */
const RARE_MS = 60_000
const json = { 'content-type': 'application/json' }

const MINER: Asked = {
  hotkey: '5Miner',
  model: 'one/5Miner',
  revision: 'a'.repeat(40),
  chute: randomUUID(),
  templates: PROTOCOL.templates,
}
const OTHER: Asked = {
  hotkey: '5Other',
  model: 'two/5Other',
  revision: 'd'.repeat(40),
  chute: randomUUID(),
  templates: PROTOCOL.templates,
}
/** A stand-in for Chutes with both miners' chutes, and what agents on it say. */
async function chutes(
  routes: Readonly<Record<string, Handle>> = {},
  pauseMs = PAUSE_MS,
  netuid?: number,
) {
  const { api, place, seen, asked } = await serveChutes({
    ...published(MINER, 'me-one'),
    ...published(OTHER, 'me-two'),
    '/users/me': answers(200, { balance: 12.5 }),
    [POST]: replies,
    '/me-two/v1/chat/completions': replies,
    ...routes,
  })
  const events: MinerEvent[] = []
  const on = (event: MinerEvent) => void events.push(event)
  const { agents, hasChanged } = openChutes({
    ...NODE_CALLER,
    apiKey: KEY,
    concurrency: 8,
    on,
    pauseMs,
    netuid,
    ...place,
  })
  const problems = () =>
    events.flatMap((event) =>
      event.type === 'problem' ? [`${event.what}: ${event.error.message}`] : [],
    )
  const outcomes = () => events.flatMap((event) => (event.type === 'call' ? [event.outcome] : []))
  return { agents, hasChanged, api, place, seen, asked, problems, outcomes }
}
const phase = () => new AbortController()
const POST = '/me-one/v1/chat/completions'

afterAll(closeServers)

describe.concurrent('a miner on Chutes', () => {
  it('is asked at its own host, with the key, for its model; the reply has the id of the invocation', async () => {
    const { agents, seen } = await chutes()
    const reply = (await agents(MINER, 10_000, phase().signal)(PROMPT)) as Reply
    expect(reply).toMatchObject({ content: 'A1' })
    expect(reply.invocation).toMatch(/^[0-9a-f-]{36}$/)
    const folder = `/api/models/${MINER.model}/tree/${MINER.revision}/additional_chat_templates`
    const files = [...Object.keys(TEMPLATES.modelFiles).map((name) => fileOf(MINER, name)), folder]
    expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      `GET /chutes/${MINER.chute}`,
      `GET /chutes/code/${MINER.chute}`,
      ...files.map((file) => `GET ${file}`),
      `POST ${POST}`,
    ])
    // Nothing is told to the place where models are.
    for (const { url, headers } of seen)
      expect(headers.authorization).toBe(files.includes(url) ? undefined : `Bearer ${KEY}`)
    expect(JSON.parse(seen.at(-1)?.body ?? '')).toEqual({ model: MINER.model, messages: PROMPT })
  })

  it('is looked up once in an epoch, however many calls there are, and again in the next', async () => {
    let name = MINER.model
    const { agents, asked, problems } = await chutes({
      [`/chutes/${MINER.chute}`]: (...rest) =>
        answers(200, { ...described(MINER, 'me-one'), name })(...rest),
    })
    const { signal } = phase()
    const calls = Array.from({ length: 20 }, () => agents(MINER, 10_000, signal)(PROMPT))
    for (const reply of await Promise.all(calls)) expect(reply).toMatchObject({ content: 'A1' })
    expect(asked(`/chutes/${MINER.chute}`).length).toBe(1)
    name = 'another/model'
    expect(await agents(MINER, 10_000, signal)(PROMPT)).toMatchObject({ content: 'A1' })
    const next = phase().signal
    for (let i = 0; i < 3; i++) expect(await agents(MINER, 10_000, next)(PROMPT)).toEqual(NO_REPLY)
    expect(asked(`/chutes/${MINER.chute}`).length).toBe(2)
    expect(problems()).toEqual([
      expect.stringContaining(
        'miner 5Miner: is not asked in this epoch: MODEL: its name is "another/model", not the committed "one/5Miner"',
      ),
    ])
  })

  const wrong: readonly (readonly [string, Handle])[] = [
    ['has another name', answers(200, { ...described(MINER, 'me-one'), name: 'two/5Other' })],
    ['is at a place elsewhere', answers(200, described(MINER, 'evil.com#'))],
    ['is not there', answers(404, { detail: 'Chute not found' })],
    ['is somewhere else', answers(307)],
    ['has a description that is too large', answers(200, { readme: 'x'.repeat(300_000) })],
  ]
  it.each(wrong)('is not asked when its chute %s', async (_, handle) => {
    const { agents, seen, problems } = await chutes({ [`/chutes/${MINER.chute}`]: handle })
    const { signal } = phase()
    for (let i = 0; i < 3; i++)
      expect(await agents(MINER, 10_000, signal)(PROMPT)).toEqual(NO_REPLY)
    expect(seen.filter(({ url }) => url !== '/users/me').length).toBe(1)
    expect(problems().length).toBe(1)
    expect(problems()[0]).toMatch(/^miner 5Miner: is not asked/)
  })

  it.each([
    '',
    'me-one',
    '../users/me',
    `${MINER.chute}/../me`,
    `${MINER.chute}\n`,
    'https://evil.example/v1',
  ])('is not asked, and not looked up, when its chute is %j, no id', async (chute) => {
    const { agents, seen, problems } = await chutes()
    expect(await agents({ ...MINER, chute }, 10_000, phase().signal)(PROMPT)).toEqual(NO_REPLY)
    expect(seen).toEqual([])
    expect(problems()).toEqual([
      expect.stringContaining(
        'miner 5Miner: is not asked in this epoch: NO_ID: the committed chute is no id of a deployment, a UUID',
      ),
    ])
  })

  it('is asked once its description can be had', async () => {
    const path = `/chutes/${MINER.chute}`
    const faults: readonly Handle[] = [
      answers(503),
      answers(429),
      (_, response) => response.writeHead(200, json).end('{"name'),
      (request) => request.socket.resetAndDestroy(),
    ]
    const { agents, asked } = await chutes({
      [path]: (...rest) => (faults[rest[2]] ?? answers(200, described(MINER, 'me-one')))(...rest),
    })
    expect(await agents(MINER, 10_000, phase().signal)(PROMPT)).toMatchObject({ content: 'A1' })
    expect(asked(path).length).toBe(faults.length + 1)
  })

  it('has no reply when the description does not come before the end, and is not the key’s trouble', async () => {
    const { agents } = await chutes({ [`/chutes/${MINER.chute}`]: answers(500) })
    const controller = phase()
    setTimeout(() => controller.abort(), 400)
    expect(await agents(MINER, 10_000, controller.signal)(PROMPT)).toEqual(NO_REPLY)
  })

  it.each([
    ['no id', {}],
    ['an empty id', { 'x-chutes-invocationid': '' }],
    ['an id of another form', { 'x-chutes-invocationid': 'f'.repeat(32) }],
    ['two ids', { 'x-chutes-invocationid': [randomUUID(), randomUUID()] }],
  ])('is asked again when a reply has %s', async (_, headers) => {
    const { agents, asked } = await chutes({
      [POST]: (...rest) => {
        const [, response, index] = rest
        if (index > 1) replies(...rest)
        else response.writeHead(200, { ...json, ...headers }).end(completion('B2'))
      },
    })
    expect(await agents(MINER, 10_000, phase().signal)(PROMPT)).toMatchObject({ content: 'A1' })
    expect(asked(POST).length).toBe(3)
  })

  it('is asked again while its chute is cold, and forfeits by what is its own', async () => {
    const { agents, asked, outcomes } = await chutes({
      [POST]: (...rest) => (rest[2] < 3 ? answers(503) : replies)(...rest),
      '/me-two/v1/chat/completions': answers(400),
    })
    const { signal } = phase()
    expect(await agents(MINER, 10_000, signal)(PROMPT)).toMatchObject({ content: 'A1' })
    expect(asked(POST).length).toBe(4)
    expect(await agents(OTHER, 10_000, signal)(PROMPT)).toEqual(NO_REPLY)
    expect(asked('/me-two/v1/chat/completions').length).toBe(1)
    expect(outcomes()).toEqual(['platform', 'platform', 'platform', 'reply', 'miner'])
  })

  it('cannot have the key sent elsewhere by a redirect', async () => {
    const elsewhere = await serve(sends(200, completion('B2')))
    const { agents } = await chutes({
      [POST]: (_, response) =>
        response.writeHead(307, { location: `${elsewhere.url}/chat/completions` }).end(),
    })
    expect(await agents(MINER, 10_000, phase().signal)(PROMPT)).toEqual(NO_REPLY)
    expect(elsewhere.seen).toEqual([])
  })
})

describe.concurrent('a key that is refused', () => {
  const account = (status: () => number) => ({
    '/users/me': ((...rest) => answers(status(), { balance: 3 })(...rest)) satisfies Handle,
  })

  it.each([401, 403])(
    'with %i stops all sampling until it works: one look a pause, one event each',
    async (refusal) => {
      let isRefused = true
      const guarded: Handle = (...rest) => (isRefused ? answers(refusal) : replies)(...rest)
      const { agents, asked, seen, problems } = await chutes({
        ...account(() => (isRefused ? refusal : 200)),
        [POST]: guarded,
        '/me-two/v1/chat/completions': guarded,
      })
      const { signal } = phase()
      const askBoth = (count: number) =>
        [MINER, OTHER].flatMap((miner) =>
          Array.from({ length: count }, () => agents(miner, 10_000, signal)(PROMPT)),
        )
      const calls = askBoth(4)
      while (problems().length < 2) await sleep(5)
      calls.push(...askBoth(22))
      while (problems().length < 5) await sleep(5)
      // Only what was on its way when the first one was refused.
      expect(seen.filter(({ method }) => method === 'POST').length).toBeLessThanOrEqual(8)
      // One more may be under way.
      expect(asked('/users/me').length - problems().length).toBeOneOf([0, 1])
      isRefused = false
      for (const reply of await Promise.all(calls)) expect(reply).toMatchObject({ content: 'A1' })
      expect(new Set(problems()).size).toBe(1)
      expect(problems()[0]).toMatch(new RegExp(`^Chutes: refuses the API key .*status ${refusal}`))
      expect(problems().join()).not.toContain('secret')
    },
  )

  it('pauses for an account without money, until there is some', async () => {
    let balance = 0
    const { agents, problems } = await chutes({
      '/users/me': (...rest) => answers(200, { balance })(...rest),
      [POST]: (...rest) =>
        (balance > 0 ? replies : answers(402, { detail: 'balance is $0' }))(...rest),
    })
    const call = agents(MINER, 10_000, phase().signal)(PROMPT)
    while (problems().length < 2) await sleep(5)
    balance = 5
    expect(await call).toMatchObject({ content: 'A1' })
  })

  it('holds up nobody else while it is not known how the account is', async () => {
    let tell: (() => void) | undefined
    const { agents } = await chutes({
      '/users/me': (...rest) => {
        tell = () => answers(200, { balance: 1 })(...rest)
      },
      [POST]: answers(402),
    })
    const controller = phase()
    const refused = agents(MINER, 10_000, controller.signal)(PROMPT)
    while (tell === undefined) await sleep(5)
    expect(await agents(OTHER, 10_000, controller.signal)(PROMPT)).toMatchObject({ content: 'A1' })
    tell()
    controller.abort()
    expect(await refused).toEqual(NO_REPLY)
  })

  it('pauses when nobody can say how the account is', async () => {
    let isDown = true
    const { agents, problems } = await chutes({
      '/users/me': (...rest) =>
        isDown ? rest[0].socket.resetAndDestroy() : answers(200, { balance: 1 })(...rest),
      [POST]: (...rest) => (isDown ? answers(402) : replies)(...rest),
    })
    const call = agents(MINER, 10_000, phase().signal)(PROMPT)
    while (problems().length < 1) await sleep(5)
    isDown = false
    expect(await call).toMatchObject({ content: 'A1' })
  })

  it.each([401, 403])(
    'is not what a chute answers %i for while the account is in order: that miner forfeits, the other is asked on',
    async (refusal) => {
      const refusing = { [POST]: answers(refusal) }
      const { agents, asked, problems, outcomes } = await chutes(refusing, RARE_MS)
      const { signal } = phase()
      const ask = (miner: Asked, count: number) =>
        Promise.all(Array.from({ length: count }, () => agents(miner, 10_000, signal)(PROMPT)))
      const [refused, others] = await Promise.all([ask(MINER, 40), ask(OTHER, 30)])
      for (const reply of refused) expect(reply).toEqual(NO_REPLY)
      for (const reply of others) expect(reply).toMatchObject({ content: 'A1' })
      expect(asked(POST).length).toBe(40)
      expect(asked('/users/me').length).toBeGreaterThan(0)
      expect(asked('/users/me').length).toBeLessThan(40)
      expect(outcomes().filter((outcome) => outcome === 'miner').length).toBe(40)
      expect(problems()).toEqual([
        expect.stringMatching(
          `^miner one/5Miner at [-0-9a-f]{36}: status ${refusal}, .*: start the server without an API key `,
        ),
      ])
    },
  )

  it.each([401, 403])(
    'is not what a description is refused for with %i while the account is in order: the other is asked on',
    async (refusal) => {
      const path = `/chutes/${MINER.chute}`
      const { agents, asked, problems } = await chutes({ [path]: answers(refusal) })
      const { signal } = phase()
      const ask = (miner: Asked) => agents(miner, 10_000, signal)(PROMPT)
      expect(await ask(MINER)).toEqual(NO_REPLY)
      expect(await ask(OTHER)).toMatchObject({ content: 'A1' })
      expect(asked(path).length).toBe(1)
      expect(problems()).toEqual([
        expect.stringContaining(
          `miner 5Miner: is not asked in this epoch: NOT_SHOWN: its description: status ${refusal}`,
        ),
      ])
    },
  )

  it.each([401, 403])(
    'with %i is what a description is refused for with it: it is asked for again, and no chute was changed',
    async (refusal) => {
      let isRefused = true
      const guarded =
        (value: unknown): Handle =>
        (...rest) =>
          answers(isRefused ? refusal : 200, value)(...rest)
      const { agents, hasChanged, problems } = await chutes({
        '/users/me': guarded({ balance: 3 }),
        [`/chutes/${MINER.chute}`]: guarded(described(MINER, 'me-one')),
      })
      const { signal } = phase()
      const mendOnceTold = async (count: number): Promise<void> => {
        while (problems().length < count) await sleep(5)
        isRefused = false
      }
      const call = agents(MINER, 10_000, signal)(PROMPT)
      await mendOnceTold(1)
      expect(await call).toMatchObject({ content: 'A1' })
      isRefused = true
      const changed = hasChanged(MINER, signal)
      await mendOnceTold(problems().length + 1)
      expect(await changed).toBe(false)
    },
  )

  it('costs no lane by an account that the platform could not describe for a while', async () => {
    const { agents, asked, problems } = await chutes({
      '/users/me': (...rest) =>
        (rest[2] < 2 ? answers(503) : answers(200, { balance: 1 }))(...rest),
      [POST]: answers(403),
      '/me-two/v1/chat/completions': () => {},
    })
    const controller = phase()
    const ask = (miner: Asked) => agents(miner, 10_000, controller.signal)(PROMPT)
    expect(await ask(MINER)).toEqual(NO_REPLY)
    expect(problems().filter((problem) => problem.includes('status 503')).length).toBe(2)
    const silent = ask(OTHER)
    while (asked('/me-two/v1/chat/completions').length < 1) await sleep(5)
    controller.abort()
    expect(await silent).toEqual(NO_REPLY)
  })

  it('blames nobody at the end: agents reject, of every miner, whatever they waited for', async () => {
    const { agents, problems } = await chutes({
      ...account(() => 401),
      [POST]: answers(401),
      '/me-two/v1/chat/completions': answers(503),
    })
    const controller = phase()
    const ask = (miner: Asked) => agents(miner, 10_000, controller.signal)(PROMPT)
    const calls = [MINER, OTHER].flatMap((miner) => Array.from({ length: 12 }, () => ask(miner)))
    while (problems().length < 2) await sleep(5)
    controller.abort()
    for (const { status } of await Promise.allSettled(calls)) expect(status).toBe('rejected')
    await expect(ask(MINER)).rejects.toThrow(
      'Chutes refused the API key in this epoch: its lane is not sealed',
    )
  })

  it('blames nobody for a clock that ran meanwhile, but for one that runs after it', async () => {
    let isPaid = false
    const { agents, asked, problems, outcomes } = await chutes({
      '/users/me': (...rest) => answers(200, { balance: isPaid ? 1 : 0 })(...rest),
      [POST]: (...rest) => (isPaid ? undefined : answers(402)(...rest)),
    })
    const ask = agents(MINER, 10_000, phase().signal)
    const [clock, next] = [phase(), phase()]
    const call = ask(PROMPT, clock.signal)
    while (problems().length < 1) await sleep(5)
    clock.abort()
    isPaid = true
    await expect(call).rejects.toThrow('Chutes refused the API key')
    await sleep(PAUSE_MS) // so long the account is not looked at again
    const stalled = ask(PROMPT, next.signal)
    while (asked(POST).length < 2) await sleep(5)
    next.abort()
    expect(await stalled).toEqual(NO_REPLY)
    expect(outcomes().at(-1)).toBe('miner')
  })

  it('blames nobody when it was refused just before the end, and what for is known only after it', async () => {
    const { agents, asked } = await chutes({
      [POST]: answers(402),
      '/users/me': (...rest) => void setTimeout(() => answers(200, { balance: 0 })(...rest), 300),
    })
    const controller = phase()
    const call = Promise.resolve(agents(MINER, 10_000, controller.signal)(PROMPT)).catch(
      (error: Error) => error.message,
    )
    while (asked('/users/me').length < 1) await sleep(5)
    controller.abort()
    expect(await call).toBe('Chutes refused the API key in this epoch: its lane is not sealed')
  })

  it('is not what one miner’s chute is refused for: the other is asked on, and that one has no reply at the end', async () => {
    const unpaying = answers(402, { detail: 'the creator of this chute has zero balance' })
    const { agents, asked, problems } = await chutes({ [POST]: unpaying }, RARE_MS)
    const controller = phase()
    const unpaid = Promise.all(
      Array.from({ length: 8 }, () => agents(MINER, 10_000, controller.signal)(PROMPT)),
    )
    const others = Array.from({ length: 30 }, () =>
      agents(OTHER, 10_000, controller.signal)(PROMPT),
    )
    for (const reply of await Promise.all(others)) expect(reply).toMatchObject({ content: 'A1' })
    while (asked(POST).length <= 8) await sleep(5)
    controller.abort()
    for (const reply of await unpaid) expect(reply).toEqual(NO_REPLY)
    expect(problems()).toEqual([`miner ${MINER.model} at ${MINER.chute}: status 402`])
    expect(asked('/users/me').length).toBeLessThan(asked(POST).length)
  })
})

describe.concurrent('an account without access to the subnet’s chutes', () => {
  const without: readonly (readonly [string, object])[] = [
    ['has no role', { permissions_bitmask: 1, permissions: [] }],
    ['has its role for another subnet', { netuids: [64] }],
    ['names no subnet', { netuids: null }],
  ]
  it.each(without)(
    'asks nothing while it %s, tells who grants it, and blames nobody',
    async (_, more) => {
      let hasAccess = false
      const { agents, seen, problems } = await chutes(
        {
          '/users/me': (...rest) => answers(200, accountWith(3, hasAccess ? {} : more))(...rest),
          [POST]: (...rest) => (hasAccess ? replies : answers(404))(...rest),
        },
        PAUSE_MS,
        NETUID,
      )
      const calls = [MINER, OTHER].map((miner) => agents(miner, 10_000, phase().signal)(PROMPT))
      while (problems().length < 3) await sleep(5)
      expect(new Set(seen.map(({ url }) => url))).toEqual(new Set(['/users/me']))
      expect(problems()[0]).toMatch(
        /^Chutes: lets the account call no chute of subnet 120, it has .* subnet_invoke: sampling pauses$/,
      )
      hasAccess = true
      for (const reply of await Promise.all(calls)) expect(reply).toMatchObject({ content: 'A1' })
    },
  )

  it('has no lane if it has none until the end', async () => {
    const { agents, problems } = await chutes(
      { '/users/me': answers(200, accountWith(3, { netuids: [] })) },
      PAUSE_MS,
      NETUID,
    )
    const controller = phase()
    const call = agents(MINER, 10_000, controller.signal)(PROMPT)
    while (problems().length < 1) await sleep(5)
    controller.abort()
    await expect(call).rejects.toThrow('its lane is not sealed')
  })

  it.each([
    ['subnet_invoke', {}],
    ['subnet_admin', { permissions_bitmask: 1 << 10 }],
    ['a role that is told in words alone', { permissions_bitmask: null }],
  ])(
    'has access with %s: a 404 is that miner’s fault, and others are asked on',
    async (_, more) => {
      const { agents, asked, problems } = await chutes(
        { '/users/me': answers(200, accountWith(3, more)), [POST]: answers(404) },
        RARE_MS,
        NETUID,
      )
      const { signal } = phase()
      expect(await agents(MINER, 10_000, signal)(PROMPT)).toEqual(NO_REPLY)
      expect(asked(POST).length).toBe(1)
      expect(await agents(OTHER, 10_000, signal)(PROMPT)).toMatchObject({ content: 'A1' })
      expect(problems()).toEqual([expect.stringMatching(/^miner one\/5Miner at .*: status 404/)])
    },
  )

  it('that is lost within an epoch is found by a 404: nobody is blamed for it', async () => {
    let hasAccess = true
    const { agents, problems } = await chutes(
      {
        '/users/me': (...rest) =>
          answers(200, accountWith(3, hasAccess ? {} : { netuids: [] }))(...rest),
        [POST]: (...rest) => (hasAccess ? replies : answers(404))(...rest),
      },
      PAUSE_MS,
      NETUID,
    )
    const { signal } = phase()
    expect(await agents(MINER, 10_000, signal)(PROMPT)).toMatchObject({ content: 'A1' })
    hasAccess = false
    const call = agents(MINER, 10_000, signal)(PROMPT)
    while (problems().length < 1) await sleep(5)
    hasAccess = true
    expect(await call).toMatchObject({ content: 'A1' })
  })

  it('is not held to be so while Chutes cannot say how it is', async () => {
    const { agents } = await chutes({ '/users/me': answers(503) }, PAUSE_MS, NETUID)
    expect(await agents(MINER, 10_000, phase().signal)(PROMPT)).toMatchObject({ content: 'A1' })
  })
})

describe('a key', () => {
  it.each(['', 'two words', 'line\nfeed', 'cpk_ü'])(
    '%j cannot be one, and is not quoted',
    (apiKey) => {
      const make = () => openChutes({ ...NODE_CALLER, apiKey, concurrency: 1, on: () => {} })
      expect(make).toThrow(new RangeError('"apiKey" expected printable ASCII without spaces'))
    },
  )

  it('goes over https to hosts of Chutes alone', async () => {
    const { api } = await chutes()
    const agent = Agent.prototype as Agent & { createConnection: unknown }
    const { createConnection } = agent
    const reached: string[] = []
    agent.createConnection = ({ host, port }: { host: string; port: number }) => {
      reached.push(`${host}:${port}`)
      throw Object.assign(new Error('not today'), { code: 'ECONNREFUSED' })
    }
    try {
      const options = { ...NODE_CALLER, apiKey: KEY, concurrency: 1, on: () => {} }
      const led: string[] = []
      for (const host of ['api.chutes.ai', 'huggingface.co', 'me-one.chutes.ai']) {
        const controller = phase()
        const exchange: Exchange = (query) => {
          const isLed = led.includes(new URL(query.url).hostname)
          return NODE_CALLER.exchange({ ...query, url: isLed ? ledTo(api, query.url) : query.url })
        }
        const call = openChutes({ ...options, exchange }).agents(
          MINER,
          1000,
          controller.signal,
        )(PROMPT)
        await expect.poll(() => reached, { timeout: 10_000 }).toContain(`${host}:443`)
        controller.abort()
        expect(await call).toEqual(NO_REPLY)
        led.push(host)
      }
      await expect(chutesAccount(KEY, NODE_CALLER)).rejects.toThrow('not today')
    } finally {
      agent.createConnection = createConnection
    }
    expect([...new Set(reached)]).toEqual([
      'api.chutes.ai:443',
      'huggingface.co:443',
      'me-one.chutes.ai:443',
    ])
  })

  it('has an account that can be looked at', async () => {
    const good = await chutes()
    const told = await chutesAccount(KEY, { ...NODE_CALLER, ...good.place })
    expect(told).toMatchObject({ status: 200, balance: 12.5, netuids: [], roles: [] })
    expect(told.ms).toBeGreaterThanOrEqual(0)
    expect(Number.isFinite(told.aheadMs)).toBe(true)
    expect(good.seen[0]).toMatchObject({ method: 'GET', url: '/users/me', body: '' })
    const bad = await chutes({ '/users/me': answers(401, { balance: 4 }) })
    const refused = { status: 401, balance: Number.NaN }
    expect(await chutesAccount(KEY, { ...NODE_CALLER, ...bad.place })).toMatchObject(refused)
    const poor = await chutes({ '/users/me': answers(200, { username: 'me' }) })
    const nameless = { status: 200, balance: Number.NaN }
    expect(await chutesAccount(KEY, { ...NODE_CALLER, ...poor.place })).toMatchObject(nameless)
  })
})
