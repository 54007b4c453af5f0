import {
  createServer,
  Agent as HttpAgent,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import { connect, createServer as createTcpServer, type NetConnectOpts } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import type { Message, Reply } from '@affine/envs'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { closeServers, listen } from '../../../test/web-server.ts'
import { type CallOptions, DeliveryError, type Exchange, type MinerEvent } from '../src/asking.ts'
import { endpointAgents, minerClient } from '../src/miner-client.ts'
import { NODE_CALLER } from '../src/node/exchange.ts'
import { type Answer, completion, sends, serve } from './servers.ts'

const PROMPT: readonly Message[] = [
  { role: 'user', content: 'What is it?' },
  { role: 'assistant', content: 'A1' },
  { role: 'user', content: 'And now?' },
]
const NO_REPLY = { fault: 'no-reply' }
const forever = new AbortController().signal
const json = { 'content-type': 'application/json' }

const clientOf = (url: string, more: Partial<CallOptions> = {}) =>
  minerClient({ chute: url, model: 'm' }, { ...NODE_CALLER, concurrency: 8, ...more })
const ask = (url: string, replyMs = 20_000, signal: AbortSignal = forever) =>
  clientOf(url)(replyMs, signal)(PROMPT)
const content = async (reply: ReturnType<typeof ask>) => ((await reply) as Reply).content

afterAll(closeServers)

describe.concurrent('repeats the request until it is answered', () => {
  const reset = (_: unknown, { socket }: IncomingMessage) => void socket.resetAndDestroy()
  const cut: Answer = (_, { socket }, response) => {
    response.writeHead(200, { 'content-length': '5000' })
    response.write('{"choices"', () => setTimeout(() => socket.resetAndDestroy(), 20))
  }
  const forbidding = { 'retry-after': '3600', 'x-should-retry': 'false' }
  const OTHER =
    'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'

  it.each<[what: string, ...faults: Answer[]]>([
    ...[429, 500, 501, 503, 520, 599].map((status): [string, Answer, Answer] => {
      const busy = sends(status, '{"error":{"message":"busy"}}')
      return [`status ${status}`, busy, busy]
    }),
    ['x-should-retry: false', sends(429, '', forbidding)],
    ['two reset connections', reset, cut],
    ['another protocol', (_, { socket }) => void socket.end(OTHER)],
  ])('after %s, unchanged', async (_, ...faults) => {
    const { url, seen } = await serve((index, ...args) =>
      (faults[index] ?? sends(200, completion('B2')))(index, ...args),
    )
    expect(await content(ask(url))).toBe('B2')
    expect(seen).toEqual(Array(faults.length + 1).fill(seen[0]))
  })

  it('after a connection takes longer than a reply may, since the time of a reply starts with the request', async () => {
    let connections = 0
    const silent = createTcpServer((socket) => {
      connections += 1
      socket.on('error', () => {})
    })
    const url = (await listen(silent)).replace('http:', 'https:') // the handshake fails
    const controller = new AbortController()
    const reply = ask(`${url}/v1`, 100, controller.signal)
    while (connections < 3) await sleep(20)
    controller.abort()
    expect(await reply).toEqual(NO_REPLY)
  })

  it('while the connection is refused, until the server is up', async () => {
    const closed = createServer()
    const url = await listen(closed)
    await new Promise((done) => closed.close(done))
    const reply = ask(`${url}/v1`)
    await sleep(250)
    const server = createServer((_, response) => response.end(completion('C3')))
    await listen(server, Number(new URL(url).port))
    expect(await content(reply)).toBe('C3')
  })
})

describe.concurrent('has no reply and sends no second request', () => {
  /** Writes `head`, and then `more` repeatedly until the connection closes. */
  const raw =
    (head: string, more = ''): Answer =>
    (_, { socket }) => {
      socket.write(head)
      const go = (): void => {
        while (more && !socket.destroyed && socket.write(more)) {}
        if (more && !socket.destroyed) socket.once('drain', go)
      }
      go()
    }
  const CHUNKED = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'
  const packed = { 'content-encoding': 'gzip' }
  const ZEROS = Buffer.alloc(64 * 1024 * 1024)
  const reply = completion('B2')
  const trickle: Answer = (_, __, response) => {
    response.writeHead(200)
    const timer = setInterval(() => response.write(' '), 20)
    response.once('close', () => clearInterval(timer))
  }

  /** Failures by their reason; `no-reply.test.ts` covers complete bodies. */
  it.each<[what: string, reason: string, answer: Answer, replyMs?: number]>([
    ...[301, 302, 303, 307, 308].map((status): [string, string, Answer] => {
      const elsewhere = { location: '/v1/elsewhere' }
      return [`a redirect with status ${status}`, 'redirect', sends(status, '', elsewhere)]
    }),
    ['no head in time', 'late', () => {}, 150],
    ['no body in time', 'late', raw(CHUNKED), 150],
    ['a body that is too slow', 'late', trickle, 150],
    ['status 404 with a completion', 'status', sends(404, reply)],
    ['an empty body', 'not-json', sends(200, '')],
    ['a large head', 'not-http', sends(200, reply, { 'x-large': 'x'.repeat(20_000) })],
    ['an endless head', 'not-http', raw('HTTP/1.1 200 OK\r\n', 'x-more: and more\r\n')],
    ['bytes that are not HTTP', 'not-http', raw('SSH-2.0-OpenSSH_9.2p1\r\n')],
    ['a body mislabelled as gzip', 'not-http', sends(200, reply, packed)],
    ['a large body', 'too-large', sends(200, reply.padEnd(256 * 1024 + 1))],
    ['a compression bomb', 'too-large', sends(200, gzipSync(ZEROS), packed)],
    ['an endless body', 'too-large', raw(CHUNKED, `8000\r\n${'x'.repeat(32_768)}\r\n`)],
  ])('after %s: %s', async (_, reason, answer, replyMs = 60_000) => {
    const { url, seen } = await serve(answer)
    const reasons: string[] = []
    const on = (event: MinerEvent): void => {
      if ('reason' in event) reasons.push(event.reason)
    }
    expect(await clientOf(url, { on })(replyMs, forever)(PROMPT)).toEqual(NO_REPLY)
    await sleep(300) // two retries would take as long
    expect([seen.length, reasons.at(-1)]).toEqual([1, reason])
  })

  it.each([
    '',
    'chute-name',
    'ftp://127.0.0.1/v1',
    'file:///etc/passwd',
    'http://',
    'javascript:0',
  ])('if a commitment has %j instead of an endpoint', async (chute) => {
    const agents = endpointAgents({ ...NODE_CALLER, concurrency: 1 })
    const agent = agents({ model: 'm', chute }, 1000, { signal: forever })
    expect(await agent(PROMPT)).toEqual(NO_REPLY)
  })
})

describe('an answer', () => {
  it.each(['', 'x'.repeat(100_000), '\u0000\u001b]0;owned\u0007\ud800 \u202e'])(
    'is never requested twice, even if it is wrong: %#',
    async (wrong) => {
      const { url, seen } = await serve(sends(200, completion(wrong)))
      expect(await content(ask(url))).toBe(wrong)
      await sleep(300)
      expect(seen.length).toBe(1)
    },
  )

  it('has a duration that is not negative, even if the clock was set back', async () => {
    const { url } = await serve(sends(200, completion('A1')))
    const times = [5000, 5250, 5250, 1000]
    const client = clientOf(url, { now: () => times.shift() ?? 0 })
    expect(await client(10_000, forever)(PROMPT)).toEqual({ content: 'A1', ms: 250 })
    expect(await client(10_000, forever)(PROMPT)).toEqual({ content: 'A1', ms: 0 })
  })

  it('is reported as late after a duration that is not negative, even if the clock was set back', async () => {
    const { url, seen } = await serve(() => {})
    const phase = new AbortController()
    const times = [5000, 1000]
    const texts: string[] = []
    const client = clientOf(url, {
      now: () => times.shift() ?? 0,
      on: (event) => void ('text' in event && texts.push(event.text)),
    })
    const reply = client(10_000, phase.signal)(PROMPT)
    while (seen.length === 0) await sleep(2)
    phase.abort()
    expect(await reply).toEqual(NO_REPLY)
    expect(texts).toEqual([expect.stringContaining('no reply in the remaining 0 s')])
  })

  it('has its full time after the connection is open, however long connecting took', async () => {
    const { url, seen } = await serve(sends(200, completion('A1')))
    const replyMs = 1_234_567
    const timer = { refresh: vi.fn() }
    const { setTimeout } = globalThis
    using _start = vi
      .spyOn(globalThis, 'setTimeout')
      .mockImplementation((task, ms) => (ms === replyMs ? timer : setTimeout(task, ms)) as never)
    const connections: (() => void)[] = []
    using _connect = vi
      .spyOn(HttpAgent.prototype, 'createConnection')
      .mockImplementation((options, done) => {
        connections.push(() => done?.(null, connect(options as NetConnectOpts)))
        return undefined
      })
    const reply = content(ask(url, replyMs))
    while (connections.length === 0) await sleep(5)
    expect(timer.refresh).not.toHaveBeenCalled()
    connections[0]?.()
    expect(await reply).toBe('A1')
    expect(timer.refresh).toHaveBeenCalledOnce()
    expect(seen.length).toBe(1)
  })

  it('cannot set its own invocation id, which could void the lane', async () => {
    const same = { 'x-chutes-invocationid': 'same' }
    const { url } = await serve(sends(200, completion('A1'), same))
    expect(await ask(url)).not.toHaveProperty('invocation')
  })
})

describe('a request', () => {
  it('contains only the model and the conversation', async () => {
    const { url, seen } = await serve(sends(200, completion('A1')))
    const noted = PROMPT.map((message) => ({ ...message, ms: 3, invocation: 'i', answer: '42' }))
    await clientOf(url)(5000, forever)(noted)
    const body = JSON.stringify({ model: 'm', messages: PROMPT })
    const connection = {
      host: new URL(url).host,
      connection: 'keep-alive',
      'content-length': String(body.length),
    }
    const headers = { ...json, ...connection, accept: 'application/json', 'user-agent': 'affine' }
    expect(seen).toEqual([{ method: 'POST', url: '/v1/chat/completions', headers, body }])
  })
})

describe('concurrent calls', () => {
  /** A miner's server that answers the oldest call on request. */
  async function holding() {
    const held: ServerResponse[] = []
    const { url, seen } = await serve((_, __, response) => void held.push(response))
    const answer = (status = 200) => held.shift()?.writeHead(status, json).end(completion('A1'))
    /** Resolves when `count` calls are pending. */
    const come = async (count: number): Promise<void> => {
      while (held.length < count) await sleep(2)
    }
    /** Resolves when `count` calls are pending, and fails if there are more. */
    const arePending = async (count: number): Promise<void> => {
      await come(count)
      await sleep(20)
      expect(held.length).toBe(count)
    }
    return { url, seen, answer, come, arePending }
  }

  it('reach the limit over all agents of a client, and do not exceed it', async () => {
    const { url, seen, answer, arePending } = await holding()
    const client = clientOf(url, { concurrency: 3 })
    const agents = [client(10_000, forever), client(20_000, forever)]
    const replies = Array.from({ length: 20 }, (_, i) => agents[i % 2]?.(PROMPT))
    for (let left = 20; left > 0; left--) {
      await arePending(Math.min(3, left))
      answer()
    }
    for (const reply of await Promise.all(replies)) expect(reply).toMatchObject({ content: 'A1' })
    expect(seen.length).toBe(20)
  })

  it('are limited by URL and model: two miners with both in common share a limit', async () => {
    const { url, answer, arePending } = await holding()
    const agents = endpointAgents({ ...NODE_CALLER, concurrency: 2 })
    const askFourTimes = (model: string) =>
      Array.from({ length: 4 }, () =>
        agents({ model, chute: url }, 600_000, { signal: forever })(PROMPT),
      )
    const replies = askFourTimes('m')
    await arePending(2)
    replies.push(...askFourTimes('n'))
    for (const count of [4, 4]) {
      await arePending(count)
      for (let i = 0; i < count; i++) answer()
    }
    for (const reply of await Promise.all(replies)) expect(reply).toMatchObject({ content: 'A1' })
  })

  it('have a limit, which is halved once after 429s, and grows by one with every round of replies', async () => {
    const { url, answer, come, arePending } = await holding()
    const client = clientOf(url)(600_000, forever)
    const replies = Array.from({ length: 8 }, () => client(PROMPT))
    await arePending(8)
    const clock = vi.spyOn(performance, 'now').mockReturnValue(1) // all at one time
    for (let i = 0; i < 8; i++) answer(429)
    await arePending(4)
    clock.mockRestore()
    replies.push(...Array.from({ length: 60 }, () => client(PROMPT)))
    for (let i = 0; i < 4; i++) answer()
    // Four replies add one: 4 + 1/4 + 1/4.25 and so on.
    await arePending(4)
    answer()
    await arePending(5)
    for (let left = 63; left > 8; left--) {
      await come(1)
      answer()
    }
    await arePending(8)
    for (let i = 0; i < 8; i++) answer()
    for (const reply of await Promise.all(replies)) expect(reply).toMatchObject({ content: 'A1' })
  })
})

describe('calls', () => {
  it('are repeated after pauses that grow', async () => {
    const pauses: number[] = []
    const { setTimeout } = globalThis
    using _ = vi.spyOn(globalThis, 'setTimeout').mockImplementation((wake, ms = 0) => {
      pauses.push(ms)
      return setTimeout(wake, 0)
    })
    const exchange: Exchange = async () => {
      if (pauses.length < 4) throw new DeliveryError('busy')
      return { status: 200, headers: {}, text: completion('B2'), ms: 0 }
    }
    expect(await content(clientOf('http://m/v1', { exchange })(1000, forever)(PROMPT))).toBe('B2')
    // 100, 200, 400 and 800 ms, each multiplied by a random factor from 1 to 2.
    expect(pauses.map((ms, i) => Math.floor(ms / (100 * 2 ** i)))).toEqual([1, 1, 1, 1])
  })

  it('end with sampling, also while they are pending, queued or between attempts', async () => {
    const closed: number[] = []
    const { url, seen } = await serve((index, _, response) => {
      response.once('close', () => closed.push(index))
      if (index === 0) response.writeHead(503).end()
    })
    const controller = new AbortController()
    const agent = clientOf(url, { concurrency: 2 })(60_000, controller.signal)
    const replies = Array.from({ length: 6 }, () => agent(PROMPT))
    while (seen.length < 3) await sleep(5)
    controller.abort()
    expect(await Promise.all(replies)).toEqual(Array(6).fill(NO_REPLY))
    const requests = seen.length
    await sleep(300)
    expect(seen.length).toBe(requests)
    expect(closed.length).toBe(requests)
    expect(await agent(PROMPT)).toEqual(NO_REPLY)
    expect(seen.length).toBe(requests)
  })

  it('continue while one call waits for its next attempt', async () => {
    const { url } = await serve((index, _, response) =>
      response.writeHead(index === 0 ? 503 : 200).end(completion('A1')),
    )
    const agent = clientOf(url, { concurrency: 1 })(10_000, forever)
    const order: string[] = []
    const call = async (name: string) => {
      await agent(PROMPT)
      order.push(name)
    }
    await Promise.all([call('first'), call('second')])
    expect(order).toEqual(['second', 'first'])
  })
})
