import { afterAll, describe, expect, it } from 'vitest'
import { closeServers } from '../../../test/web-server.ts'
import {
  DeliveryError,
  type HttpResponse,
  MinerError,
  type MinerEvent,
  StopError,
} from '../src/asking.ts'
import { readCompletion } from '../src/completion.ts'
import { minerClient } from '../src/miner-client.ts'
import { NODE_CALLER } from '../src/node/exchange.ts'
import { countFailures, openPlayer } from '../src/player.ts'
import { type Answer, completion, sends, serve } from './servers.ts'

afterAll(closeServers)

const PROMPT = [{ role: 'user', content: 'And?' }] as const
const ok = (text: string) => ({ status: 200, headers: {}, text, ms: 0 })
const message = (fields: object) => JSON.stringify({ choices: [{ message: fields }] })

/** Breaks the connection after the beginning of a body. */
const breaksOff =
  (status: number, body: string): Answer =>
  (_, { socket }, response) => {
    response.writeHead(status, { 'content-length': '5000' })
    response.write(body, () => setTimeout(() => socket.destroy(), 20))
  }

function refusalOf(received: HttpResponse): MinerError {
  try {
    throw new Error(readCompletion(received))
  } catch (error) {
    expect(error).toBeInstanceOf(MinerError)
    return error as MinerError
  }
}

describe('an unusable response', () => {
  const cutOff = (content: unknown) =>
    JSON.stringify({ choices: [{ finish_reason: 'length', message: { content } }] })
  const BODIES: Readonly<Partial<Record<MinerError['code'], readonly string[]>>> = {
    'not-json': ['<html>log in</html>', 'idle server', '', '\uFEFF{}', 'data: {}'],
    'no-text': [
      ...[
        'null',
        '{"error":"busy"}',
        '{"choices":7}',
        '{"choices":[]}',
        '{"choices":[{"text":"A1"}]}',
      ],
      message({ content: null, tool_calls: [{}] }),
      message({ content: [], tool_calls: [{}] }),
      message({ content: null, reasoning: 'so' }),
      message({ content: '\n\n', reasoning_content: 'so' }),
      ...[cutOff(null), cutOff(' ')],
      ...[message({ content: null }), message({ role: 'a' }), message({ content: [] })],
      ...[message({ content: 42 }), message({ content: [{ type: 'image' }] })],
    ],
  }
  const bodies = Object.entries(BODIES).flatMap(([reason, texts]) =>
    texts.map((text) => [reason, ok(text)] as const),
  )
  const location = 'https://else.where/v1'
  const statuses = [
    ['status', { ...ok('{}'), status: 201 }],
    ['status', { ...ok('no key'), status: 401 }],
    ['status', { ...ok('no model'), status: 404 }],
    ['status', { ...ok('x'.repeat(1000)), status: 418 }],
    ['redirect', { ...ok(''), headers: { location }, status: 307 }],
    ['redirect', { ...ok('gone'), status: 301 }],
  ] as const

  it('has a code, a status and a message', async () => {
    const lines = [...bodies, ...statuses].map(([reason, received]) => {
      const error = refusalOf(received)
      const { status } = received
      expect(error).toMatchObject({ code: reason, status: status === 200 ? undefined : status })
      const body = JSON.stringify(received.text.slice(0, 200)).replace('\uFEFF', '\\ufeff')
      return `${status} ${body}\n    ${error.message}\n`
    })
    await expect(lines.join('\n')).toMatchFileSnapshot('snapshots/no-reply.txt')
  })

  it("is reported with the JSON parser's message, which locates or quotes the error", () => {
    expect(refusalOf(ok('{"choices":[0,}')).message).toMatch(/": Unexpected token '}', /)
    expect(refusalOf(ok('{"choices"')).message).toMatch(/": .* in JSON at position 10/)
  })

  it('is not reported for a blank text without a reason, nor for a reply with text', () => {
    expect(readCompletion(ok(message({ content: '', tool_calls: [] })))).toBe('')
    const text = message({ content: 'A1', tool_calls: [{}], reasoning: 'so' })
    expect(readCompletion(ok(text))).toBe('A1')
    expect(readCompletion(ok(cutOff('A1')))).toBe('A1')
  })
})

const exchangeWith = (url: string) => {
  const { signal } = new AbortController()
  return NODE_CALLER.exchange({ url, replyMs: 1000, signal, now: Date.now })
}

it.each<[code: number, what: string, answer: Answer]>([
  [404, 'too large', sends(404, 'gone'.padEnd(300_000))],
  [503, 'without an end', (_, __, response) => void response.writeHead(503).write('gone')],
  [404, 'broken off', breaksOff(404, 'gone')],
])('resolves for status %i with the beginning of a body that is %s', async (code, _, answer) => {
  const { url } = await serve(answer)
  const { status, text } = await exchangeWith(url)
  expect([status, text.slice(0, 4)]).toEqual([code, 'gone'])
  expect(text.length).toBeLessThanOrEqual(256 * 1024)
})

it('does not blame the miner for a host name that cannot be resolved', async () => {
  const answer = exchangeWith('http://no-such-host.invalid/')
  await expect(answer).rejects.toBeInstanceOf(DeliveryError)
})

describe('an event', () => {
  /** Makes `calls` calls; sampling ends after `requests` requests. Returns the events. */
  const eventsOf = async (answer: Answer, calls: number, requests = Infinity, why?: Error) => {
    const sampling = new AbortController()
    const { url } = await serve((index, request, response, body) => {
      answer(index, request, response, body)
      if (index === requests - 1) setTimeout(() => sampling.abort(why), 20)
    })
    const events: MinerEvent[] = []
    const on = (event: MinerEvent): unknown => events.push(event)
    const client = minerClient({ chute: url, model: 'm' }, { ...NODE_CALLER, concurrency: 9, on })
    const agent = client(600_000, sampling.signal)
    await Promise.all(Array.from({ length: calls }, () => agent(PROMPT)))
    return { task: { kind: 'miner', model: 'm', chute: url }, events }
  }

  it('states why each request failed, and is also a problem for the first failure of a kind', async () => {
    const { task, events } = await eventsOf(sends(403, ''), 2)
    const call = { type: 'call', outcome: 'miner', reason: 'status', status: 403 }
    const problem = { type: 'problem', task, error: { code: 'status', status: 403 } }
    expect(events).toMatchObject([call, problem, call])
  })

  it.each([
    [429, '429'],
    [520, '5xx'],
  ])('for status %i has the reason %s; all calls report one problem', async (status, label) => {
    const { task, events } = await eventsOf(sends(status, 'no room'), 3, 9)
    const problems = events.filter(({ type }) => type === 'problem')
    expect(problems).toMatchObject([{ task, error: { code: label } }])
    const calls = events.filter(({ type }) => type === 'call')
    expect(calls.length).toBeGreaterThan(0)
    for (const call of calls) expect(call).toMatchObject({ outcome: 'platform', reason: label })
  })

  it('is no problem for a missing reply if the validator stops', async () => {
    for (const answer of [() => {}, sends(503, 'no room')]) {
      const { events } = await eventsOf(answer, 3, 3, new StopError('stopping'))
      expect(events.filter(({ type }) => type === 'problem')).toEqual([])
    }
  })
})

describe('openPlayer', () => {
  const signal = new AbortController().signal
  const open = (url: string) =>
    openPlayer(url, 'seed', { ...NODE_CALLER, model: 'default', timeoutMs: 1000, signal })

  const closes: Answer = (_, { socket }) => socket.destroy()
  const staysBusy: Answer = (index, _, response) =>
    response.writeHead(index === 0 ? 429 : 503).end('loading')

  it.each<[what: string, answer: Answer, why: object]>([
    ['does not know the model', sends(404, 'No model'), { reason: 'status', status: 404 }],
    ['closes the connection', closes, { reason: 'undelivered' }],
    ['breaks a reply off', breaksOff(200, '{"choices"'), { reason: 'undelivered' }],
    ['stays busy', staysBusy, { reason: '5xx' }],
    ['is late', () => {}, { reason: 'late' }],
  ])('rejects a player that %s', async (_, answer, why) => {
    const { url } = await serve(answer)
    await expect(open(url)).rejects.toMatchObject({ why })
  })

  it('accepts a player whose first reply takes longer than timeoutMs, and counts later late replies', async () => {
    const { url } = await serve((index, _, response) => {
      const answer = () => response.writeHead(200).end(completion('A1'))
      if (index === 0) setTimeout(answer, 1500)
    })
    const { agent, failures } = await open(url)
    expect(await agent(500)(PROMPT)).toEqual({ fault: 'no-reply' })
    expect(await agent(1500)(PROMPT)).toEqual({ fault: 'no-reply' })
    expect([...failures.values()]).toMatchObject([{ reason: 'late', count: 2 }])
  })

  it('accepts a player that is only busy, and counts later failures', async () => {
    const isBusy = (index: number): boolean => [0, 2, 3].includes(index)
    const { url } = await serve((index, ...args) =>
      sends(isBusy(index) ? 503 : 200, completion('A1'))(index, ...args),
    )
    const player = await open(url)
    await player.agent(5000)(PROMPT)
    expect([...player.failures.values()]).toMatchObject([{ reason: '5xx', count: 2 }])
  })

  it('counts failures by reason and status, with the first text', () => {
    const { failures, on } = countFailures()
    const call = { type: 'call', outcome: 'miner' } as const
    for (const status of [404, 405, 404])
      on({ ...call, reason: 'status', status, text: `${status} at ${failures.size}` })
    on({ ...call, reason: 'late', text: 'x' })
    expect([...failures.values()]).toEqual([
      { reason: 'status', status: 404, text: '404 at 0', count: 2 },
      { reason: 'status', status: 405, text: '405 at 1', count: 1 },
      { reason: 'late', status: undefined, text: 'x', count: 1 },
    ])
  })
})
