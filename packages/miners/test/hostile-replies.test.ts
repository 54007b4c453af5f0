import { randomUUID } from 'node:crypto'
import { createServer, type Socket } from 'node:net'
import { PROTOCOL } from '@affine/duel'
import type { Agent, Message } from '@affine/envs'
import fc from 'fast-check'
import { afterAll, expect, it } from 'vitest'
import type { MinerEvent } from '../src/asking.ts'
import { openChutes } from '../src/chutes.ts'
import { type ChutesKey, chutesAccount } from '../src/chutes-key.ts'
import type { Asked } from '../src/deployment/deployment.ts'
import { lookAt } from '../src/deployment/looks.ts'
import { minerClient } from '../src/miner-client.ts'
import { NODE_CALLER } from '../src/node/exchange.ts'
import { mutatedBytes, mutatedJson } from './mutations.ts'
import { closeServers, completion, described, listen, serve, sourceFor } from './servers.ts'

const PROMPT: readonly Message[] = [{ role: 'user', content: 'What is it?' }]
const MINER: Asked = {
  ...{ hotkey: '5M', model: 'one/5M', revision: 'a'.repeat(40) },
  ...{ chute: randomUUID(), templates: PROTOCOL.templates },
}
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const MOST = 256 * 1024
/** In runs of so many side by side, as those that are asked again wait. */
const SIDE_BY_SIDE = 100
const RUNS = { numRuns: 10 }

afterAll(closeServers)

type Answer = Awaited<ReturnType<Agent>>

/** A reply within the limits, or none: nothing else comes of asking. */
function expectDeclared(answer: Answer): void {
  if ('fault' in answer) {
    expect(answer).toEqual({ fault: 'no-reply' })
    return
  }
  const { content, ms, invocation, ...rest } = answer
  expect(rest).toEqual({})
  expect(typeof content).toBe('string')
  expect(content.length).toBeLessThanOrEqual(MOST)
  expect(Number.isSafeInteger(ms) && Number(ms) >= 0).toBe(true)
  if (invocation !== undefined) expect(invocation).toMatch(UUID)
}

/** A signal that aborts when a call is to be made again, or has not come to an end for a while. */
function phase() {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(), 1000)
  const events: MinerEvent[] = []
  const on = (event: MinerEvent): void => {
    events.push(event)
    if (event.type === 'call' && event.outcome === 'platform') controller.abort()
  }
  const end = (): void => clearTimeout(timer)
  return { signal: controller.signal, controller, events, on, end }
}

const whole = JSON.parse(completion('A1'))
const reply = { id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: 'm', ...whole }

it('a miner’s response of any bytes is a reply or none', async () => {
  const responses = new Map<string, Uint8Array>()
  const server = createServer((socket: Socket) => {
    let asked = ''
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      asked += chunk
      const [, path = ''] = /^POST \/(\d+)\//.exec(asked) ?? []
      if (asked.includes('"messages"')) socket.end(responses.get(path) ?? '')
    })
  })
  const url = await listen(server, 0)
  const status = fc.constantFrom('200 OK', '200 OK', '204 No Content', '302 Found', '500 Error')
  const framed = fc.tuple(status, mutatedJson(reply)).map(([line, body]) => {
    const text = Buffer.from(body)
    const head = `HTTP/1.1 ${line}\r\ncontent-type: application/json\r\ncontent-length: ${text.length}`
    return Buffer.concat([Buffer.from(`${head}\r\n\r\n`), text])
  })
  const chunked = mutatedJson(reply).map((body) => {
    const size = Buffer.byteLength(body).toString(16)
    const head = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked'
    return Buffer.from(`${head}\r\n\r\n${size}\r\n${body}\r\n0\r\n\r\n`)
  })
  const response = fc.oneof(framed, chunked, fc.uint8Array({ maxLength: 300 }))
  const altered = fc.oneof(framed, chunked).chain((bytes) => mutatedBytes(bytes.subarray(0, 4000)))
  const batch = fc.array(fc.oneof(response, altered), {
    minLength: SIDE_BY_SIDE,
    maxLength: SIDE_BY_SIDE,
  })
  let place = 0
  const ask = async (bytes: Uint8Array): Promise<Answer> => {
    const path = `${place++}`
    responses.set(path, bytes)
    const { signal, on, end } = phase()
    const client = minerClient(
      { chute: `${url}/${path}/v1`, model: 'm' },
      { ...NODE_CALLER, concurrency: 1, on },
    )
    const answer = await client(5000, signal)(PROMPT)
    end()
    responses.delete(path)
    return answer
  }
  const outcomes = new Set<string>()
  const property = fc.asyncProperty(batch, async (all) => {
    for (const answer of await Promise.all(all.map(ask))) {
      expectDeclared(answer)
      outcomes.add('fault' in answer ? 'none' : 'reply')
    }
  })
  await fc.assert(property, RUNS)
  expect([...outcomes].sort()).toEqual(['none', 'reply'])
  server.close()
})

it('a chute’s description of any JSON is a place on Chutes, no place, or worth asking again', async () => {
  const description = described(MINER, 'me-one')
  const outcomes = new Set<string>()
  const status = fc.constantFrom(200, 200, 200, 200, 307, 403, 404, 429, 500, 521)
  const property = fc.asyncProperty(status, mutatedJson(description), async (code, text) => {
    const { signal, end } = phase()
    const said = { status: code, headers: {}, text, ms: 0 }
    const source = { ...said, status: 200, text: sourceFor(MINER) }
    const ask: ChutesKey['ask'] = async ({ url }) => (url.includes('/code/') ? source : said)
    const look = await lookAt(MINER, signal, { ...NODE_CALLER, key: { ask }, api: '' }).catch(
      (error: Error) => error,
    )
    end()
    // What is described, however badly, or not shown, is known: there is nothing to ask again.
    const hasFailed = code === 429 || code >= 500 || (code === 200 && !isJson(text))
    expect(look instanceof Error).toBe(hasFailed)
    if (look instanceof Error) expect(look).not.toBeInstanceOf(TypeError)
    else if (look.ok) expect(look.value.slug).toMatch(/^[a-z0-9-]{1,63}$/)
    else expect(look.detail.length).toBeLessThan(500)
    outcomes.add(look instanceof Error ? 'error' : String(look.ok))
  })
  const odd = { ...description, slug: { length: { toString: 1, valueOf: 1 } } }
  await fc.assert(property, { numRuns: 1000, examples: [[200, JSON.stringify(odd)]] })
  expect([...outcomes].sort()).toEqual(['error', 'false', 'true'])
})

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

it('whatever Chutes says of chute, account and call, a miner replies, or not, or the lane is not sealed', async () => {
  const answer = (value: unknown) =>
    fc.record({
      status: fc.constantFrom(...[200, 200, 200, 200, 401, 402, 403, 404, 429, 500]),
      body: mutatedJson(value),
      id: fc.constantFrom(...[randomUUID(), randomUUID(), '', 'no id', 'f'.repeat(500)]),
    })
  const three = fc.record({
    chutes: answer(described(MINER, 'me-one')),
    code: fc.record({
      status: fc.constantFrom<number[]>(200, 200, 200, 404, 500),
      id: fc.constant<string>(''),
      body: mutatedBytes(Buffer.from(sourceFor(MINER))).map(String),
    }),
    users: answer({ balance: 5 }),
    'me-one': answer(reply),
  })
  type Said = Parameters<NonNullable<Parameters<typeof three.filter>[0]>>[0]
  /** By a run's path: what is said in it, and how to end it. */
  const runs = new Map<string, { readonly said: Said; readonly end: () => void }>()
  const seen = new Set<string>()
  const { url } = await serve((_, request, response) => {
    const [, path = '', what = ''] = request.url?.replace('/chutes/code', '/code').split('/') ?? []
    const run = runs.get(path)
    if (seen.has(`${path} ${what}`)) run?.end() // it is asked again, and would be for ever
    seen.add(`${path} ${what}`)
    const { status, body, id } = run?.said[what as keyof Said] ?? { status: 404 }
    response.writeHead(status, { 'x-chutes-invocationid': id ?? '' }).end(body)
  })
  const base = url.replace(/\/v1$/, '')
  let place = 0
  const ask = async (all: Said): Promise<Answer | Error> => {
    const path = `${place++}`
    const { signal, controller, events, on, end } = phase()
    runs.set(path, { said: all, end: () => controller.abort() })
    const [api, hostOf] = [`${base}/${path}`, (slug: string) => `${base}/${path}/${slug}`]
    const options = { ...NODE_CALLER, apiKey: 'cpk_1', concurrency: 1, on, pauseMs: 20 }
    const agent = openChutes({ ...options, api, hostOf }).agents(MINER, 60_000, signal)
    const answer = await Promise.resolve(agent(PROMPT)).catch((error: Error) => error)
    end()
    runs.delete(path)
    for (const event of events)
      if (event.type === 'problem') expect(event.error.message.length).toBeLessThan(2000)
    return answer
  }
  const outcomes = new Set<string>()
  const batch = fc.array(three, { minLength: SIDE_BY_SIDE, maxLength: SIDE_BY_SIDE })
  const property = fc.asyncProperty(batch, async (all) => {
    for (const answer of await Promise.all(all.map(ask))) {
      if (answer instanceof Error) expect(answer.message).toMatch(/its lane is not sealed$/)
      else expectDeclared(answer)
      outcomes.add(answer instanceof Error ? 'not sealed' : Object.keys(answer).join())
    }
  })
  const honest = (value: unknown) => ({
    status: 200,
    body: JSON.stringify(value),
    id: randomUUID(),
  })
  const chute = honest(described(MINER, 'me-one'))
  const code = { ...chute, body: sourceFor(MINER) }
  const served = { chutes: chute, code, users: honest({ balance: 5 }), 'me-one': honest(reply) }
  await fc.assert(property, { ...RUNS, examples: [[[served]]] })
  expect([...outcomes].sort()).toEqual(['content,ms,invocation', 'fault', 'not sealed'])
})

it('an account of any JSON is a status and a number, or cannot be read', async () => {
  const bodies = new Map<string, string>()
  const { url } = await serve((_, request, response) => {
    response.writeHead(200).end(bodies.get(request.url ?? ''))
  })
  let place = 0
  const look = async (body: string) => {
    const api = `${url}/${place++}`
    bodies.set(`${new URL(api).pathname}/users/me`, body)
    const account = await chutesAccount('cpk_1', AbortSignal.timeout(600_000), {
      ...NODE_CALLER,
      api,
    }).catch((error: Error) => error)
    bodies.clear()
    return account
  }
  const property = fc.asyncProperty(mutatedJson({ balance: 5 }), async (body) => {
    const account = await look(body)
    if (account instanceof Error) return
    expect(Object.keys(account)).toEqual(['status', 'ms', 'aheadMs', 'balance'])
    expect([account.status, typeof account.balance]).toEqual([200, 'number'])
  })
  await fc.assert(property, { numRuns: 1000 })
})
