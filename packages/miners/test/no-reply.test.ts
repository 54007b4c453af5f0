import { createServer } from 'node:http'
import { afterAll, describe, expect, it } from 'vitest'
import { type MinerEvent, Stopped, Undelivered } from '../src/asking.ts'
import { completionIn } from '../src/completion.ts'
import { minerClient } from '../src/miner-client.ts'
import { NODE_CALLER } from '../src/node/exchange.ts'
import { openPlayer } from '../src/player.ts'
import { type Answer, closeServers, completion, listen, serve } from './servers.ts'

afterAll(closeServers)

const ANSWER_URL = 'http://127.0.0.1:8000/v1/chat/completions'
const FASTER = ': serve the model faster, or let it write less'
const NO_KEY = 'start the server without an API key of its own: validators do not have that key'
const busyWith =
  (status: number): Answer =>
  (_, __, response) =>
    response.writeHead(status).end('no room')
const ok = (text: string) => ({ status: 200, headers: {}, text, ms: 0 })
const message = (fields: object) => JSON.stringify({ choices: [{ message: fields }] })

describe('what came instead of a reply is said', () => {
  const OTHER_API = ': is it an OpenAI-compatible API, at a URL that ends with /v1?'
  const SEE_LOG = ': the log of the server may say why'
  const LEAVE_OUT = ': have the server leave the mark out'
  const ERROR = '{"object":"error"}'
  const TOOLS = 'tool calls came instead of a text: serve the model without tools'
  const REASONING = 'reasoning came without a text: allow more tokens, or have it parsed as text'
  const CUT = 'the limit of tokens was reached without a text: raise max_tokens in the server'
  const STREAM = ': none was asked for: turn streaming off in the server'
  const cutOff = (content: unknown) =>
    JSON.stringify({ choices: [{ finish_reason: 'length', message: { content } }] })
  const missing = (text: string) =>
    `choices[0].message is missing in ${JSON.stringify(text)}${OTHER_API}`

  it.each([
    ['not-json', '<html>log in</html>', `expected JSON, got "<html>log in</html>"${OTHER_API}`],
    ['not-json', 'idle server', `expected JSON, got "idle server"${OTHER_API}`],
    ['not-json', 'database is down', `expected JSON, got "database is down"${OTHER_API}`],
    ['not-json', '', `expected JSON, got an empty body${SEE_LOG}`],
    ['not-json', '\uFEFF{}', `expected JSON, got a byte order mark and then "{}"${LEAVE_OUT}`],
    ['stream', 'data: {}', `a stream of events came, "data: {}"${STREAM}`],
    ['stream', '\n\nevent: ping', `a stream of events came, "event: ping"${STREAM}`],
    ['stream', 'retry: 9', `a stream of events came, "retry: 9"${STREAM}`],
    ['stream', ': hello', `a stream of events came, ": hello"${STREAM}`],
    ['error', '{"error":"busy"}', `status 200 with an error: "\\"busy\\""${SEE_LOG}`],
    ['error', ERROR, `status 200 with an error: ${JSON.stringify(ERROR)}${SEE_LOG}`],
    ['no-text', '{"choices":[]}', missing('{"choices":[]}')],
    ['no-text', '{"detail":"loading"}', missing('{"detail":"loading"}')],
    ['no-text', '{"message":{"content":"A1"}}', missing('{"message":{"content":"A1"}}')],
    ['no-text', '{"choices":[{"text":"A1"}]}', missing('{"choices":[{"text":"A1"}]}')],
    ['no-text', '{"output":[]}', missing('{"output":[]}')],
    ...['null', '[1,2]', '{"choices":7}', '{"choices":[{}]}'].map((text) => [
      'no-text',
      text,
      missing(text),
    ]),
    ['no-text', message({ content: null, tool_calls: [{}] }), TOOLS],
    ['no-text', message({ content: '', tool_calls: [{}] }), TOOLS],
    ['no-text', message({ content: [], tool_calls: [{}] }), TOOLS],
    ['no-text', message({ content: null, reasoning: 'so' }), REASONING],
    ['no-text', message({ reasoning_content: 'so' }), REASONING],
    ['no-text', message({ content: '', reasoning_content: 'so' }), REASONING],
    ['no-text', message({ content: '\n\n', reasoning: 'so' }), REASONING],
    ['no-text', message({ content: '', reasoning_content: null, reasoning: 'so' }), REASONING],
    ['no-text', cutOff(null), CUT],
    ['no-text', cutOff(' '), CUT],
    ['no-text', cutOff([]), CUT],
    ...[
      ['{"content":null}', 'nothing'],
      ['{"role":"a"}', 'nothing'],
      ['{"content":[]}', '"[]"'],
      ['{"content":42}', '"42"'],
      ['{"content":[{"type":"image"}]}', JSON.stringify('[{"type":"image"}]')],
    ].map(([fields, got]) => [
      'no-text',
      `{"choices":[{"message":${fields}}]}`,
      `choices[0].message.content expected a text, got ${got}, in ` +
        `${JSON.stringify(`{"message":${fields}}`)}: ` +
        'serve the model without parsers of tools or reasoning',
    ]),
  ])('%s: %s', (reason, text, said) => {
    const read = () => completionIn(ok(text), ANSWER_URL)
    expect(read).toThrow(expect.objectContaining({ reason }))
    expect(read).toThrow(expect.objectContaining({ message: said }))
  })

  it('JSON with a fault far behind the quoted part, with the position of the fault', () => {
    const text = `{"choices":[${'0,'.repeat(1000)}}`
    expect(() => completionIn(ok(text), ANSWER_URL)).toThrow(
      /^expected JSON, got "{.{120,130}…": Unexpected token '}', .*: the log of the server may say why$/,
    )
    expect(() => completionIn(ok('{"choices"'), ANSWER_URL)).toThrow(
      /": Expected ':' after property name in JSON at position 10.*: the log/,
    )
  })

  it('a stream that only its type tells', () => {
    const headers = { 'content-type': 'text/event-stream; charset=utf-8' }
    expect(() => completionIn({ ...ok('[DONE'), headers }, ANSWER_URL)).toThrow(
      `a stream of events came, "[DONE"${STREAM}`,
    )
  })

  it('a blank text is a reply, if the response gives no reason for it', () => {
    expect(completionIn(ok(message({ content: '', tool_calls: [] })), ANSWER_URL)).toBe('')
    const text = message({ content: 'A1', tool_calls: [{}], reasoning: 'so' })
    expect(completionIn(ok(text), ANSWER_URL)).toBe('A1')
    expect(completionIn(ok(cutOff('A1')), ANSWER_URL)).toBe('A1')
  })

  it('a text may come in parts', () => {
    const parts = ['B', '2'].map((text) => ({ type: 'text', text }))
    expect(completionIn(ok(message({ content: parts })), ANSWER_URL)).toBe('B2')
  })

  it.each([
    [201, '{}', ANSWER_URL, 'status 201, "{}": a chat completion has the status 200'],
    [401, 'no key', ANSWER_URL, `status 401, "no key": ${NO_KEY}`],
    [405, '', ANSWER_URL, 'status 405, an empty body: no POST is taken there, check the URL'],
    [405, '', 'http://127.0.0.1/chat/completions', ': is it at http://127.0.0.1/v1?'],
    [404, '', 'http://127.0.0.1:8000/chat/completions', ': is it at http://127.0.0.1:8000/v1?'],
    [404, '', `${ANSWER_URL}/chat/completions`, ': is it at http://127.0.0.1:8000/v1?'],
    [404, 'no model', ANSWER_URL, 'status 404, "no model": check the URL and the model\'s name'],
    [418, 'x'.repeat(1000), ANSWER_URL, `status 418, "${'x'.repeat(120)}…"${SEE_LOG}`],
  ])('status %i', (status, text, url, said) => {
    expect(() => completionIn({ ...ok(text), status }, url)).toThrow(said)
  })

  it('a redirect, with where it goes', () => {
    const headers = { location: 'https://else.where/v1' }
    expect(() => completionIn({ ...ok(''), headers, status: 307 }, ANSWER_URL)).toThrow(
      'status 307 to "https://else.where/v1": no redirect is followed',
    )
    expect(() => completionIn({ ...ok('gone'), status: 301 }, ANSWER_URL)).toThrow(
      'status 301, "gone": no redirect is followed',
    )
  })
})

const received = async (answer: Answer) => {
  const { url } = await serve(answer)
  const { signal } = new AbortController()
  return NODE_CALLER.exchange({ url, replyMs: 1000, signal, now: Date.now })
}

describe.each([404, 503])(
  'of a body with status %i that is never whole, the first words are said',
  (code) => {
    const breaksOff: Answer = (_, { socket }, response) => {
      response.writeHead(code).write('gone', () => setTimeout(() => socket.destroy(), 20))
    }

    it.each<[what: string, answer: Answer]>([
      ['too large', (_, __, response) => response.writeHead(code).end('gone'.padEnd(300_000))],
      ['without an end', (_, __, response) => void response.writeHead(code).write('gone')],
      ['broken off', breaksOff],
    ])('%s', async (_, answer) => {
      const { status, text } = await received(answer)
      expect([status, text.slice(0, 4)]).toEqual([code, 'gone'])
      expect(text.length).toBeLessThanOrEqual(256 * 1024)
    })
  },
)

it('of a redirect with a large body is said where it goes', async () => {
  const redirect = await received((_, __, response) =>
    response.writeHead(301, { location: '/v2' }).end('.'.repeat(300_000)),
  )
  expect(() => completionIn(redirect, ANSWER_URL)).toThrow('status 301 to "/v2": no redirect')
})

it('a name that cannot be looked up is no failure of the miner', async () => {
  const { signal } = new AbortController()
  const query = { url: 'http://no-such-host.invalid/', replyMs: 9000, signal, now: Date.now }
  await expect(NODE_CALLER.exchange(query)).rejects.toBeInstanceOf(Undelivered)
})

describe('an event tells', () => {
  const eventsOf = async (answer: Answer, calls: number, replyMs = 5000) => {
    const { url } = await serve(answer)
    const events: MinerEvent[] = []
    const on = (event: MinerEvent): unknown => events.push(event)
    const asking = { ...NODE_CALLER, concurrency: 1, on }
    const agent = minerClient({ chute: url, model: 'm' }, asking)(
      replyMs,
      AbortSignal.timeout(600_000),
    )
    for (let i = 0; i < calls; i++) await agent([{ role: 'user', content: 'And?' }])
    return { url, events }
  }

  it('of each request why it failed, and of the first of its kind as a problem', async () => {
    const { url, events } = await eventsOf((_, __, response) => response.writeHead(403).end(), 2)
    const text = `status 403, an empty body: ${NO_KEY}`
    const call = { type: 'call', outcome: 'miner', reason: 'status', status: 403, text }
    const problem = { type: 'problem', what: `miner m at ${url}`, error: new Error(text) }
    expect(events).toEqual([call, problem, call])
  })

  const COMPLETION = completion([{ type: 'text', text: 'A1' }])
  const SAID = `status 429, ${JSON.stringify(COMPLETION)}`

  it('of a 429 that it is asked again, and is the platform’s', async () => {
    const busy: Answer = (index, _, response) =>
      response.writeHead(index === 0 ? 429 : 200).end(COMPLETION)
    const { events } = await eventsOf(busy, 1)
    const first = { outcome: 'platform', reason: '429', text: SAID }
    expect(events).toMatchObject([first, { outcome: 'reply' }])
  })

  it('that a reply was late', async () => {
    const { events } = await eventsOf(() => {}, 1, 200)
    expect(events[0]).toMatchObject({
      reason: 'late',
      text: `late: no reply within 0.2 s${FASTER}`,
    })
  })

  /** Events of calls that have no reply when sampling ends, as soon as so many requests came. */
  const eventsOfSampling = async (answer: Answer, requests: number, why?: Error) => {
    const sampling = new AbortController()
    const { url } = await serve((index, request, response, body) => {
      answer(index, request, response, body)
      if (index === requests - 1) setTimeout(() => sampling.abort(why), 20)
    })
    const events: MinerEvent[] = []
    const on = (event: MinerEvent): unknown => events.push(event)
    const client = minerClient({ chute: url, model: 'm' }, { ...NODE_CALLER, concurrency: 9, on })
    const agent = client(600_000, sampling.signal)
    const ask = () => agent([{ role: 'user', content: 'And?' }])
    await Promise.all([ask(), ask(), ask()])
    const problems = events.filter(({ type }) => type === 'problem')
    const labels = events.flatMap((event) =>
      'reason' in event ? [`${event.outcome} ${event.reason}`] : [],
    )
    return { url, problems, labels: new Set(labels) }
  }

  it.each([
    [429, '429'],
    [500, '5xx'],
    [520, '5xx'],
  ])(
    'of %i, by the label %s, and once as a problem if no reply came of it',
    async (status, label) => {
      const { url, problems, labels } = await eventsOfSampling(busyWith(status), 9)
      const error = new Error(`status ${status}, "no room"`)
      expect(problems).toEqual([{ type: 'problem', what: `miner m at ${url}`, error }])
      expect([...labels]).toEqual([`platform ${label}`])
    },
  )

  it('of what never answers, as late, and once as a problem', async () => {
    const { problems, labels } = await eventsOfSampling(() => {}, 3)
    const message = expect.stringMatching(/^late: no reply in the [\d.]+ s that were left: /)
    expect(problems).toMatchObject([{ error: { message } }])
    expect([...labels]).toEqual(['miner late'])
  })

  it('nothing of what has no reply because the validator stops', async () => {
    for (const answer of [() => {}, busyWith(503)]) {
      const { problems } = await eventsOfSampling(answer, 3, new Stopped('stopping'))
      expect(problems).toEqual([])
    }
  })
})

describe('a player that never answers is refused, with why', () => {
  const signal = new AbortController().signal
  const open = (url: string) =>
    openPlayer(url, 'seed', { ...NODE_CALLER, model: 'default', giveUpMs: 1000, signal })

  /** Refuses every model but its own, of which it tells. */
  const refuses =
    (status: number, why: string, ...ids: readonly string[]): Answer =>
    (_, { url }, response) => {
      const models = { data: ids.map((id) => ({ id })) }
      if (url === '/v1/models') response.writeHead(200).end(JSON.stringify(models))
      else response.writeHead(status).end(why)
    }
  const closes: Answer = (_, { socket }) => socket.destroy()
  const breaksOff: Answer = (_, { socket }, response) => {
    response.writeHead(200, { 'content-length': '5000' })
    response.write('{"choices"', () => setTimeout(() => socket.destroy(), 20))
  }
  const staysBusy: Answer = (index, _, response) =>
    response.writeHead(index === 0 ? 429 : 503).end('loading')

  it.each<[what: string, answer: Answer, why: string]>([
    [
      'knows no such model',
      refuses(404, 'No model `default`.', 'one', 'two'),
      'status 404, "No model `default`.": check the URL and the model\'s name; it serves the models "one", "two"',
    ],
    [
      'says so by a 400',
      refuses(400, 'unknown model', 'one'),
      'status 400, "unknown model": the log of the server may say why; it serves the models "one"',
    ],
    ['closes the connection', closes, 'it closed the connection before its reply'],
    ['breaks a reply off', breaksOff, 'it closed the connection in the middle of its reply'],
    ['stays busy', staysBusy, 'status 503, "loading"'],
  ])('one that %s', async (_, answer, why) => {
    const { url } = await serve(answer)
    const message = `${url} gives no usable reply: ${why}`
    await expect(open(url)).rejects.toMatchObject({ message })
  })

  it('where nothing listens', async () => {
    const closed = createServer()
    const url = await listen(closed, 0)
    await new Promise((done) => closed.close(done))
    await expect(open(`${url}/v1`)).rejects.toMatchObject({
      message: `${url}/v1 gives no usable reply: nothing listens there: is it running?`,
    })
  })

  it('where the name is that of no host', async () => {
    const url = 'http://no-such-host.invalid/v1'
    await expect(open(url)).rejects.toMatchObject({
      message: expect.stringMatching(
        /: (no host has that name: check the spelling|the name of the host cannot be looked up now)$/,
      ),
    })
  })

  it('where nothing comes in the time for a reply, however soon it would be out of reach', async () => {
    const { url } = await serve(() => {})
    await expect(open(url)).rejects.toMatchObject({
      message: `${url} gives no usable reply: late: no reply within 10 s${FASTER}`,
    })
  })

  it('but not one that takes more time than it may be out of reach', async () => {
    const { url } = await serve((index, _, response) => {
      const answer = () => response.writeHead(200).end(completion('A1'))
      if (index === 0) setTimeout(answer, 1500)
    })
    const { agent, failures } = await open(url)
    expect(await agent(500)([{ role: 'user', content: 'And?' }])).toEqual({ fault: 'no-reply' })
    expect([...failures]).toEqual([[`late: no reply within 0.5 s${FASTER}`, 1]])
    expect(await agent(1500)([{ role: 'user', content: 'And?' }])).toEqual({ fault: 'no-reply' })
    expect([...failures]).toContainEqual([`late: no reply within 1.5 s${FASTER}`, 1])
  })

  it('where no TLS is spoken', async () => {
    const { url } = await serve((_, __, response) => void response.end())
    await expect(open(url.replace('http:', 'https:'))).rejects.toMatchObject({
      message: expect.stringMatching(/: the server does not use TLS; try http:\/\/$/),
    })
  })

  it('but not one that is only busy; later failures are counted by what came', async () => {
    const BODY = completion('A1')
    const bodies = ['busy', BODY, 'busy', 'busy']
    const { url } = await serve((index, _, response) =>
      response.writeHead([503, 200, 503, 503][index] ?? 200).end(bodies[index] ?? BODY),
    )
    const player = await open(url)
    await player.agent(5000)([{ role: 'user', content: 'And?' }])
    expect([...player.failures]).toEqual([['status 503, "busy"', 2]])
  })
})
