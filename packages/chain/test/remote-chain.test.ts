import { listen } from '@affine/node/listen'
import { describe, expect, test } from 'vitest'
import { ADVICE } from '../src/chain-error.ts'
import { ChainError, type LocalChain, remoteChain, serveLocal } from '../src/index.ts'
import { signExtrinsic } from '../src/local/log.ts'
import { chainSuite } from './chain-suite.ts'
import { alice, bob, bytes, harness, miner, noLimits, pass, subnet } from './subnet.ts'

chainSuite('a local chain over HTTP', async (limits) => {
  const local = subnet({ params: { ...noLimits, ...limits } })
  const server = await listen(serveLocal(local), 0)
  const chain = await remoteChain(server.url, { fetch })
  return { ...harness(local), chain, close: async () => server[Symbol.dispose]() }
})

const url = 'http://chain.test/'
const JSON_HEADERS = { 'content-type': 'application/json' }
/** Opens the chain that `handler` serves, without a network. */
const connect = (handler: (request: Request) => Promise<Response>) =>
  remoteChain(url, { fetch: async (input, init) => handler(new Request(input, init)) })
const failure = async (promise: Promise<unknown>) => {
  const error = await promise.catch((error: unknown) => error)
  expect(error).toBeInstanceOf(ChainError)
  return error as ChainError
}

/** Sends a request to the server of a chain, which waits for a block for at most 10 ms. */
const ask = (chain: LocalChain, init: RequestInit) => {
  const options = { method: 'POST', headers: JSON_HEADERS, duplex: 'half', ...init }
  return serveLocal(chain, 10)(new Request(url, options))
}

describe('pages', () => {
  const local = subnet()
  const here = ['http://127.0.0.1:8080', 'http://localhost', 'http://[::1]:1']
  const beginAlike = ['http://127.0.0.1.example.org', 'http://a@localhost']
  const elsewhere = ['https://example.org', ...beginAlike, 'null']
  const from = (origin: string, body: object, method = 'POST') => {
    const content = method === 'POST' && { body: JSON.stringify(body) }
    return ask(local, { method, headers: { ...JSON_HEADERS, origin }, ...content })
  }
  const allowedOrigin = ({ headers }: Response) => headers.get('access-control-allow-origin')

  test.each(here)('may read, but not submit, on loopback: %s', async (origin) => {
    const preflight = await from(origin, {}, 'OPTIONS')
    expect([preflight.status, allowedOrigin(preflight)]).toEqual([204, origin])
    expect(preflight.headers.get('access-control-allow-headers')).toBe('content-type')
    const read = await from(origin, { log: 0 })
    expect([read.status, allowedOrigin(read)]).toEqual([200, origin])
    expect(await read.text()).toBe(local.export())
    const call = { nonce: 0, until: 9, call: { fields: [] } }
    const sent = await from(origin, { submit: signExtrinsic(alice, local, call) })
    expect(await sent.json()).toMatchObject({ code: 'BadRequest' })
    await local.produce(0)
    expect((await local.snapshot(local.height)).commitments).toEqual([])
  })

  test.each(elsewhere)('have no permission elsewhere: %s', async (origin) => {
    for (const method of ['OPTIONS', 'POST'])
      expect(allowedOrigin(await from(origin, { log: 0 }, method))).toBe(null)
  })
})

describe('the server', () => {
  const local = subnet()
  const signed = signExtrinsic(alice, local, { nonce: 0, until: 9, call: { fields: [] } })

  const asJson = (value: unknown) => JSON.stringify(value)
  const wrongCalls = [
    ...[{ until: -1 }, { nonce: 0.5 }, { hotkey: 'x' }, { signature: 'AB'.repeat(64) }],
    ...[{ fields: ['0'] }, { weights: [[0, 65_536]] }, { weights: [[0]] }, { register: false }].map(
      (call) => ({ call }),
    ),
    { more: 1 },
  ].map((wrong) => ({ submit: { ...signed, ...wrong } }))
  const wrongBodies = [
    ...[null, [0], {}, { sudo: 0 }, { log: 0, submit: signed }],
    ...[-1, 0.5, '0', null].map((log) => ({ log })),
    ...[{}, null, 1, [], 'x'].map((submit) => ({ submit })),
    ...wrongCalls,
  ]
  test.each<[string, BodyInit | null, RequestInit?]>([
    ['GET', null, { method: 'GET' }],
    ['another type', '{"log":0}', { headers: { 'content-type': 'text/plain' } }],
    ['no body', null],
    ['no JSON', 'x'],
    ['no UTF-8', Uint8Array.of(0x22, 0xff, 0x22)],
    ...wrongBodies.map((body): [string, string] => [asJson(body), asJson(body)]),
    ['a large number', '{"log":1e300}'],
    ['a prototype', '{"__proto__":{"log":0}}'],
    ['more than 16 KiB', `{"log":0${' '.repeat(16_384)}}`],
    [
      'more than 16 KiB in pieces',
      new ReadableStream({ pull: (stream) => stream.enqueue(new Uint8Array(1024).fill(32)) }),
    ],
    ['nested brackets', '['.repeat(16_000)],
  ])('refuses %s', async (_, body, init) => {
    const refusal = await ask(local, { body, ...init })
    expect(refusal.status).toBe(400)
    expect(await refusal.json()).toEqual({
      code: 'BadRequest',
      message: expect.stringMatching(/^BadRequest: the request(\/[/a-z0-9]+)?: expected /),
    })
  })

  test('answers only with the code and message of a refusal', async () => {
    const forged = { submit: { ...signed, nonce: 1 } }
    const refusal = await ask(local, { body: JSON.stringify(forged) })
    const message = expect.stringContaining('the signature is wrong')
    expect([refusal.status, await refusal.json()]).toEqual([400, { code: 'BadProof', message }])
  })

  test('answers a call immediately, and a log request in time, with at most 256 blocks', async () => {
    const readLog = async (log: number) =>
      (await ask(local, { body: JSON.stringify({ log }) })).text()
    const [first] = local.export().split('\n')
    expect(await readLog(1)).toBe(`${first}\n`)
    const taken = await ask(local, { body: JSON.stringify({ submit: signed }) })
    expect([taken.status, await taken.json()]).toEqual([200, signed])
    await local.produce(0)
    expect((await local.snapshot(1)).commitments).toMatchObject([{ hotkey: alice.hotkey }])
    expect(await readLog(1)).toBe(local.export(1))
    await pass(local, 1200)
    expect(await readLog(3)).toBe(local.export(3, 259))
  })
})

describe('the client', () => {
  test('has the complete log of the server', async () => {
    const local = subnet()
    await pass(local, 1200)
    const remote = await connect(serveLocal(local))
    expect(await remote.head()).toEqual(await local.head())
    expect(remote.export()).toBe(local.export())
    const sent = remote.commit(miner, [bytes(1)])
    await new Promise((resolve) => setTimeout(resolve, 50))
    await pass(local, 300)
    expect((await sent).number).toBe(1201)
    expect(await remote.snapshot(1350)).toEqual(await local.snapshot(1350))
    expect(await remote.time(1350)).toBe(await local.time(1350))
    expect(remote.export()).toBe(local.export())
  })

  test('sends the calls of an account in order', async () => {
    const local = subnet()
    const handler = serveLocal(local)
    let delay = 30
    const remote = await connect(async (request) => {
      delay -= 4
      await new Promise((resolve) => setTimeout(resolve, delay))
      return handler(request)
    })
    const sent = [1, 2, 3].map((value) => remote.commit(bob, [bytes(value)]))
    const making = setInterval(() => local.produce(0), 2)
    const heads = await Promise.all(sent)
    clearInterval(making)
    expect((await local.snapshot(heads[2]!.number)).commitments[0]!.fields).toEqual([bytes(3)])
  })

  test('yields heads until the signal aborts, also after failed requests', async () => {
    const local = subnet()
    const handler = serveLocal(local, 5)
    let answer = handler
    const messages: string[] = []
    const remote = await remoteChain(url, {
      fetch: async (input, init) => answer(new Request(input, init)),
      onRetry: ({ message }) => messages.push(message),
    })
    const stop = new AbortController()
    const heads = remote.heads(stop.signal)
    const gone = async () => Promise.reject(new TypeError('fetch failed'))
    for (const trouble of [gone, async () => new Response('<html>', { status: 502 })]) {
      const before = messages.length
      answer = trouble
      const next = heads.next()
      await expect.poll(() => messages.length).toBeGreaterThan(before)
      answer = handler
      const head = before === 0 ? await local.head() : await local.produce(0)
      expect(await next).toEqual({ done: false, value: head })
    }
    expect(messages[0]).toContain(`no chain answers at ${url}`)
    expect(messages.at(-1)).toContain('BadReply')
    let waiting: Request | undefined
    answer = (request) => {
      waiting = request
      return new Promise(() => {})
    }
    const last = heads.next()
    await expect.poll(() => waiting).toBeDefined()
    stop.abort()
    expect(await last).toEqual({ done: true, value: undefined })
    expect(waiting?.signal.aborted).toBe(true)
    expect((await remote.heads(stop.signal).next()).done).toBe(true)
  })

  test('rejects the head, and the next of the heads, if the server serves another chain', async () => {
    let local = subnet()
    const remote = await connect((request) => serveLocal(local, 5)(request))
    const heads = remote.heads(new AbortController().signal)
    await heads.next()
    local = subnet({ random: () => bytes(9) })
    expect((await failure(remote.head())).message).toMatch(/^BadLog: block 0 /)
    await local.produce(0)
    expect((await failure(heads.next())).message).toMatch(/^BadLog: block 1 /)
  })

  const local = subnet()
  const [first] = local.export().split('\n')
  const json = (value: unknown, status = 200) => new Response(JSON.stringify(value), { status })
  const replaceIn = (from: RegExp, to: string) => () =>
    new Response(local.export().replace(from, to))
  test.each<[string, () => Response, string]>([
    ['a page', () => new Response('<html>'), 'BadLog'],
    ['no content', () => new Response(null, { status: 204 }), 'BadLog'],
    ['null', () => json(null), 'BadLog'],
    ['no blocks', () => new Response(`${first}\n`), 'BadLog'],
    ['half a line', () => new Response(local.export().slice(0, -9)), 'BadLog'],
    ['another subnet', replaceIn(/"netuid":\d+/, '"netuid":8'), 'BadLog'],
    ['no UTF-8', () => new Response(Uint8Array.of(0xff)), 'Unreachable'],
    ['nested brackets', () => new Response(`${'['.repeat(2 ** 18)}\n`), 'BadLog'],
    ['a long line', () => new Response(`${' '.repeat(2 ** 22 + 1)}\n`), 'BadLog'],
    ['an error without status', () => Response.error(), 'BadReply'],
    ['an error page', () => new Response('<html>', { status: 502 }), 'BadReply'],
    ['a malformed refusal', () => json({ code: 1 }, 400), 'BadReply'],
    ['an unknown refusal', () => json({ code: 'Worse', message: 'x' }, 400), 'BadReply'],
    ['a long error', () => json({ code: 'Stale', message: 'x'.repeat(2 ** 15) }, 400), 'BadReply'],
    ['a refusal with escapes', () => json({ code: '\u001b[2J', message: 'x' }, 400), 'BadReply'],
    ['an inherited code', () => json({ code: 'toString' }, 400), 'BadReply'],
    ['a refusal', () => json({ code: 'Stale', message: 'x' }, 400), 'Stale'],
  ])('rejects %s in the first and later answers', async (_, reply, want) => {
    expect((await failure(connect(async () => reply()))).code).toBe(want)
    const handler = serveLocal(local)
    let honest = true
    const remote = await connect(async (request) => (honest ? handler(request) : reply()))
    honest = false
    const calls = [remote.commit(alice, []), remote.snapshot(5), remote.heads().next()]
    for (const call of [remote.head(), ...calls]) expect((await failure(call)).code).toBe(want)
    expect(await remote.snapshot(0)).toEqual(await local.snapshot(0))
    honest = true
    expect(await remote.head()).toEqual(await local.head())
  })

  test('describes a refusal without the text of the server', async () => {
    const refusal = { code: 'Stale', message: '\u001b[2J\u202e' }
    const { message } = await failure(connect(async () => json(refusal, 400)))
    expect(message).toBe(`Stale: ${ADVICE.Stale}`)
  })

  test('rejects a call that the server does not include', async () => {
    const local = subnet()
    const handler = serveLocal(local, 5)
    const remote = await connect(async (request) => {
      const isCall = (await request.clone().text()).includes('submit')
      return isCall ? new Response('') : handler(request)
    })
    const sent = failure(remote.commit(alice, [bytes(1)], 3))
    await pass(local, 3)
    expect((await sent).code).toBe('AncientBirthBlock')
  })

  test('rejects an endless answer after 268,435,456 characters', async () => {
    const chunk = new Uint8Array(2 ** 24)
    const endless = new ReadableStream({ pull: (stream) => stream.enqueue(chunk) })
    const { code, cause } = await failure(connect(async () => new Response(endless)))
    expect(code).toBe('Unreachable')
    expect(String(cause)).toMatch(/^RangeError: .* 268435456 /)
  })
})
