import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { account, ChainError, type LocalChain, remoteChain, serveLocal } from '../src/index.ts'
import { readText } from '../src/local/local-server.ts'
import { type Extrinsic, readLog, signExtrinsic } from '../src/local/log.ts'
import { chainSuite } from './chain-suite.ts'
import { serve } from './serve.ts'
import { alice, bob, bytes, harness, miner, noLimits, stranger, subnet } from './subnet.ts'

chainSuite('a local chain over HTTP', async (limits) => {
  const local = subnet({ params: { ...noLimits, ...limits } })
  const { url, close } = await serve(serveLocal(local))
  return { ...harness(local), chain: await remoteChain(url, { fetch }), close }
})

const url = 'http://chain.test/'
/** A client of `handler` without a network. */
const connect = (handler: (request: Request) => Promise<Response>) =>
  remoteChain(url, { fetch: async (input, init) => handler(new Request(input, init)) })
const failure = async (promise: Promise<unknown>) => {
  const error = await promise.then(
    () => expect.unreachable(),
    (error: unknown) => error,
  )
  expect(error).toBeInstanceOf(ChainError)
  return error as ChainError
}
const pass = async (chain: LocalChain, blocks: number) => {
  for (let i = 0; i < blocks; i++) await chain.produce(0)
}

/** The signatures of the calls in a chain's last block. */
const lastCallsOf = (local: LocalChain): readonly string[] =>
  readLog(local.export(local.height)).blocks.flatMap(({ calls }) =>
    calls.map(({ signature }) => signature),
  )

describe('pages', () => {
  const local = subnet()
  const here = ['http://127.0.0.1:8080', 'http://localhost', 'http://[::1]:1']
  const elsewhere = [
    'https://example.org',
    'http://127.0.0.1.example.org',
    'null',
    'http://a@localhost',
  ]
  const ask = (origin: string, body: object, method = 'POST') =>
    serveLocal(
      local,
      10,
    )(
      new Request(url, {
        method,
        headers: { origin, 'content-type': 'application/json' },
        ...(method === 'POST' && { body: JSON.stringify(body) }),
      }),
    )
  const allowed = ({ headers }: Response) => headers.get('access-control-allow-origin')

  test.each(here)('%s is on loopback: it reads, and submits nothing', async (origin) => {
    const asked = await ask(origin, {}, 'OPTIONS')
    expect([asked.status, allowed(asked)]).toEqual([204, origin])
    expect(asked.headers.get('access-control-allow-headers')).toBe('content-type')
    const read = await ask(origin, { log: 0 })
    expect([read.status, allowed(read), await read.text()]).toEqual([200, origin, local.export()])
    const call = { nonce: 0, until: 9, call: { fields: [] } }
    const sent = await ask(origin, { submit: signExtrinsic(alice, local, call) })
    expect(await sent.json()).toMatchObject({ code: 'BadRequest' })
    await local.produce(0)
    expect(lastCallsOf(local)).toEqual([])
  })

  test.each(elsewhere)('%s gets no permission', async (origin) => {
    for (const method of ['OPTIONS', 'POST'])
      expect(allowed(await ask(origin, { log: 0 }, method))).toBe(null)
  })
})

describe('the server', () => {
  const local = subnet()
  const ask = async (body: BodyInit | null, init: RequestInit = {}) => {
    const headers = { 'content-type': 'application/json' }
    const request = new Request(url, {
      method: 'POST',
      headers,
      body,
      duplex: 'half',
      ...init,
    } as RequestInit)
    const response = await serveLocal(local, 10)(request)
    return { status: response.status, reply: await response.json() }
  }
  const signed = signExtrinsic(alice, local, { nonce: 0, until: 9, call: { fields: [] } })

  test.each<[string, BodyInit | null, RequestInit?]>([
    ['GET', null, { method: 'GET' }],
    ['PUT', '{"log":0}', { method: 'PUT' }],
    ['another type', '{"log":0}', { headers: { 'content-type': 'text/plain' } }],
    ['no body', null],
    ['no JSON', 'x'],
    ['no UTF-8', Uint8Array.of(0x22, 0xff, 0x22)],
    ['null', 'null'],
    ['an array', '[0]'],
    ['no question', '{}'],
    ['an unknown question', '{"sudo":0}'],
    ['two questions', `{"log":0,"submit":${JSON.stringify(signed)}}`],
    ...['-1', '0.5', '1e300', '"0"', 'null'].map((number): [string, string] => [
      `the log from ${number} on`,
      `{"log":${number}}`,
    ]),
    ['no extrinsic', '{"submit":{}}'],
    ...[
      { until: -1 },
      { nonce: 0.5 },
      { hotkey: 'x' },
      { signature: 'AB'.repeat(64) },
      { call: { fields: ['0'] } },
      { call: { weights: [[0, 65_536]] } },
      { call: { weights: [[0]] } },
      { call: { register: false } },
      { more: 1 },
    ].map((wrong): [string, string] => [
      `a call with ${JSON.stringify(wrong)}`,
      JSON.stringify({ submit: { ...signed, ...wrong } }),
    ]),
    ...[null, 1, [], 'x'].map((wrong): [string, string] => [
      `the call ${JSON.stringify(wrong)}`,
      JSON.stringify({ submit: wrong }),
    ]),
    ['a prototype', '{"__proto__":{"log":0}}'],
    ['more than 16 KiB', `{"log":0${' '.repeat(16_384)}}`],
    [
      'more than 16 KiB in pieces',
      new ReadableStream({ pull: (stream) => stream.enqueue(new Uint8Array(1024).fill(32)) }),
    ],
    ['depth', '['.repeat(16_000)],
  ])('refuses %s', async (_, body, init) => {
    const { status, reply } = await ask(body, init)
    expect(status).toBe(400)
    expect(reply).toEqual({
      code: 'BadRequest',
      message: expect.stringMatching(/^BadRequest: the question is not valid at ./),
    })
  })

  test('says no more than its code and message when the chain refuses', async () => {
    const forged = { submit: { ...signed, nonce: 1 } }
    const message = expect.stringContaining('the signature is wrong')
    expect(await ask(JSON.stringify(forged))).toEqual({
      status: 400,
      reply: { code: 'BadProof', message },
    })
  })

  test('answers without blocks when nothing has come, and to a call at once', async () => {
    const said = async (log: number) => {
      const headers = { 'content-type': 'application/json' }
      const body = JSON.stringify({ log })
      const asked = new Request(url, { method: 'POST', headers, body })
      return (await serveLocal(local, 10)(asked)).text()
    }
    const [first] = local.export().split('\n')
    expect(await said(1)).toBe(`${first}\n`)
    expect(await ask(JSON.stringify({ submit: signed }))).toEqual({ status: 200, reply: signed })
    await local.produce(0)
    expect(lastCallsOf(local)).toEqual([signed.signature])
    expect(await said(1)).toBe(local.export(1))
    await pass(local, 1200)
    expect(await said(3)).toBe(local.export(3, 259))
  })
})

describe('what the next block would refuse', () => {
  const ask = async (local: LocalChain, submit: Extrinsic) => {
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ submit })
    const response = await serveLocal(local)(new Request(url, { method: 'POST', headers, body }))
    return response.ok ? 'taken' : (await response.json()).code
  }
  const commitment = (nonce: number) => ({ nonce, until: 9, call: { fields: [] } })
  const callsOf = async (local: LocalChain): Promise<readonly string[]> => {
    await local.produce(0)
    return lastCallsOf(local)
  }

  test('of a stranger is refused at once, all but a registration, and is in no log', async () => {
    const local = subnet()
    const weights = { nonce: 1, until: 9, call: { weights: [[0, 1]] as const } }
    const register = { nonce: 2, until: 9, call: { register: true } as const }
    const said = []
    for (const call of [commitment(0), weights, register])
      said.push(await ask(local, signExtrinsic(stranger, local, call)))
    expect(said).toEqual(['AccountNotAllowedCommit', 'HotKeyNotRegisteredInSubNet', 'taken'])
    const { signature } = signExtrinsic(stranger, local, register)
    expect(await callsOf(local)).toEqual([signature])
  })

  test('of a neuron is refused at once, counting what waits, in any order', async () => {
    const local = subnet({ params: { ...noLimits, commitmentBytes: 300 } })
    const said = []
    for (const nonce of [5, 3, 3, 4, 6])
      said.push(await ask(local, signExtrinsic(alice, local, commitment(nonce))))
    expect(said).toEqual(['taken', 'taken', 'Stale', 'taken', 'SpaceLimitExceeded'])
    const old = signExtrinsic(bob, local, { ...commitment(0), until: 0 })
    expect(await ask(local, old)).toBe('AncientBirthBlock')
    expect(await callsOf(local)).toHaveLength(3)
  })

  test('of a registration that can replace no neuron is refused at once', async () => {
    const seats = Array.from({ length: 255 }, (_, i) => ({ hotkey: account(bytes(i)).hotkey }))
    const local = subnet({
      neurons: seats.map((seat) => ({ ...seat, stake: 0n })),
      params: { ...noLimits, immunityPeriod: 0, minNonImmuneUids: 256 },
    })
    const said = []
    for (const value of [1, 2]) {
      const newcomer = account(Uint8Array.from({ length: 32 }, (_, i) => (i === 0 ? value : 99)))
      const register = { nonce: 0, until: 9, call: { register: true } as const }
      said.push(await ask(local, signExtrinsic(newcomer, local, register)))
    }
    expect(said).toEqual(['taken', 'NoNeuronIdAvailable'])
  })
})

describe('the client', () => {
  test('waits longer than the server does', async () => {
    const local = subnet()
    const remote = await connect(serveLocal(local, 5))
    const sent = remote.commit(alice, [bytes(1)])
    const heads = remote.heads()
    expect((await heads.next()).value).toEqual(await local.head())
    const next = heads.next()
    await new Promise((resolve) => setTimeout(resolve, 50))
    const head = await local.produce(0)
    expect(await Promise.all([sent, next])).toEqual([head, { done: false, value: head }])
  })

  test('has a head of a chain that goes on with each question', async () => {
    const local = subnet()
    const handler = serveLocal(local)
    const remote = await connect(async (request) => {
      await local.produce(0)
      return handler(request)
    })
    expect(await remote.head()).toEqual(await local.head())
  })

  test('has the whole log, as the server has it', async () => {
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

  test('does not let an account’s calls overtake each other', async () => {
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

  test('says where it found nobody', async () => {
    const { url, close } = await serve(async () => new Response())
    await close()
    const { code, message } = await failure(remoteChain(url, { fetch }))
    expect(code).toBe('Unreachable')
    expect(message).toContain(url)
  })

  test('says so when the server goes away, and goes on when it is back', async () => {
    const local = subnet()
    const handler = serveLocal(local)
    let up = true
    const remote = await connect(async (request) => (up ? handler(request) : Response.error()))
    up = false
    for (const call of [
      remote.head(),
      remote.snapshot(5),
      remote.commit(alice, []),
      remote.heads().next(),
    ])
      expect((await failure(call)).code).toMatch(/^(Unreachable|BadReply)$/)
    up = true
    expect(await remote.head()).toEqual(await local.head())
  })

  test('with a signal has heads until that aborts, whoever does not answer meanwhile', async () => {
    const local = subnet()
    const handler = serveLocal(local, 5)
    let answer = handler
    const said: string[] = []
    const remote = await remoteChain(url, {
      fetch: async (input, init) => answer(new Request(input, init)),
      onRetry: ({ message }) => said.push(message),
    })
    const stop = new AbortController()
    const heads = remote.heads(stop.signal)
    const gone = async () => Promise.reject(new TypeError('fetch failed'))
    for (const trouble of [gone, async () => new Response('<html>', { status: 502 })]) {
      const before = said.length
      answer = trouble
      const next = heads.next()
      await expect.poll(() => said.length).toBeGreaterThan(before)
      answer = handler
      const head = before === 0 ? await local.head() : await local.produce(0)
      expect(await next).toEqual({ done: false, value: head })
    }
    expect(said[0]).toContain(`no chain answers at ${url}`)
    expect(said.at(-1)).toContain('BadReply')
    answer = gone
    const last = heads.next()
    const before = said.length
    await expect.poll(() => said.length).toBeGreaterThan(before)
    stop.abort()
    expect(await last).toEqual({ done: true, value: undefined })
    expect((await remote.heads(stop.signal).next()).done).toBe(true)
  })

  test('with a signal has no more heads of what is another chain now', async () => {
    let local = subnet()
    const remote = await connect((request) => serveLocal(local, 5)(request))
    const heads = remote.heads(new AbortController().signal)
    await heads.next()
    local = subnet({ random: () => bytes(9) })
    await local.produce(0)
    const { message } = await failure(heads.next())
    expect(message).toBe('BadLog: block 1 does not match its hash')
  })

  test('stops a request when its signal aborts', async () => {
    const { url, close } = await serve(serveLocal(subnet()))
    const remote = await remoteChain(url, { fetch })
    const stop = new AbortController()
    const heads = remote.heads(stop.signal)
    await heads.next()
    const next = heads.next()
    stop.abort()
    expect(await next).toEqual({ done: true, value: undefined })
    await close()
  })

  const local = subnet()
  const [first] = local.export().split('\n')
  const json = (value: unknown, status = 200) => new Response(JSON.stringify(value), { status })
  const altered = (from: RegExp, to: string) => () => new Response(local.export().replace(from, to))
  test.each<[string, () => Response, string]>([
    ['no log', () => new Response('<html>'), 'BadLog'],
    ['nothing', () => new Response(null, { status: 204 }), 'BadLog'],
    ['null', () => json(null), 'BadLog'],
    ['no blocks', () => new Response(`${first}\n`), 'BadLog'],
    ['half a line', () => new Response(local.export().slice(0, -9)), 'BadLog'],
    ['another subnet', altered(/"netuid":\d+/, '"netuid":8'), 'BadLog'],
    ['no UTF-8', () => new Response(Uint8Array.of(0xff)), 'Unreachable'],
    ['depth', () => new Response(`${'['.repeat(2 ** 22)}\n`), 'BadLog'],
    ['a long line', () => new Response(`${' '.repeat(2 ** 22 + 1)}\n`), 'BadLog'],
    ['an error page', () => new Response('<html>', { status: 502 }), 'BadReply'],
    ['a fault of no shape', () => json({ code: 1 }, 400), 'BadReply'],
    ['a fault nobody knows', () => json({ code: 'Worse', message: 'x' }, 400), 'BadReply'],
    ['a long fault', () => json({ code: 'Stale', message: 'x'.repeat(2 ** 15) }, 400), 'BadReply'],
    [
      'a fault that moves the cursor',
      () => json({ code: '\u001b[2J', message: 'x' }, 400),
      'BadReply',
    ],
    ['a fault that is every object’s', () => json({ code: 'toString' }, 400), 'BadReply'],
    ['a fault', () => json({ code: 'Stale', message: 'x' }, 400), 'Stale'],
  ])('takes %s for what it is, at first and later', async (_, reply, want) => {
    expect((await failure(connect(async () => reply()))).code).toBe(want)
    const handler = serveLocal(local)
    let honest = true
    const remote = await connect(async (request) => (honest ? handler(request) : reply()))
    honest = false
    expect((await failure(remote.head())).code).toBe(want)
    expect((await failure(remote.commit(alice, []))).code).toBe(want)
    expect(await remote.snapshot(0)).toEqual(await local.snapshot(0))
  })

  test('says what a refusal means in its own words', async () => {
    const { message } = await failure(
      connect(async () => json({ code: 'Stale', message: '\u001b[2J\u202e' }, 400)),
    )
    expect(message).toBe('Stale: the nonce was used before: sign again')
  })

  test('gives up on a call that the server keeps to itself', async () => {
    const local = subnet()
    const handler = serveLocal(local, 5)
    const remote = await connect(async (request) => {
      const body = await request.text()
      return body.includes('submit')
        ? new Response('')
        : handler(new Request(request, { method: 'POST', body }))
    })
    const sent = failure(remote.commit(alice, [bytes(1)], 3))
    await pass(local, 3)
    expect((await sent).code).toBe('AncientBirthBlock')
  })

  test('notices that the chain is another one now', async () => {
    let local = subnet()
    const remote = await connect((request) => serveLocal(local)(request))
    local = subnet({ random: () => bytes(9) })
    const { message } = await failure(remote.head())
    expect(message).toBe('BadLog: block 0 is another one than before')
  })

  test('counts what a compressed reply unpacks to', async () => {
    const packed = gzipSync(Buffer.alloc(2 ** 28 + 1, ' '))
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const { code, cause } = await failure(remoteChain(`http://127.0.0.1:${port}/`, { fetch }))
    server.close()
    expect([code, String(cause)]).toEqual([
      'Unreachable',
      'RangeError: the body has more than 268435456 characters',
    ])
  })

  test('reads no body further than its limit', async () => {
    let read = 0
    let cancelled = false
    const endless = new ReadableStream({
      pull: (stream) => stream.enqueue(new Uint8Array(++read && 1000)),
      cancel: () => {
        cancelled = true
      },
    })
    await expect(readText(endless, 10_000)).rejects.toThrow('more than 10000 characters')
    expect(read).toBeLessThan(15)
    expect(cancelled).toBe(true)
    expect(await readText(new Response('é'.repeat(10_000)).body, 10_000)).toHaveLength(10_000)
    expect(await readText(null, 0)).toBe('')
  })
})
