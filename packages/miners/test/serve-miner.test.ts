import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Listening } from '../src/node/listen.ts'
import { serveMiner } from '../src/node/serve-miner.ts'

const PROMPT = 'Compute 12345678 * 87654321. Give the product, digits only, on the last line.'
let server: Listening
beforeAll(async () => {
  server = await serveMiner({ skill: 1, seed: '' }, 0)
})
afterAll(() => server[Symbol.dispose]())

const post = (body: unknown) =>
  fetch(`${server.url}/chat/completions`, { method: 'POST', body: JSON.stringify(body) })
const asking = (content: unknown, more: object = {}) =>
  post({ model: 'm', messages: [{ role: 'user', content }], ...more })

it('has models, ids of its own, the model asked for, and usage', async () => {
  const models = (await (await fetch(`${server.url}/models`)).json()) as object
  expect(models).toMatchObject({ object: 'list', data: [{ id: 'reference', object: 'model' }] })
  const [one, two] = (await Promise.all(
    [asking(PROMPT), asking(PROMPT)].map(async (each) => (await each).json()),
  )) as Record<string, unknown>[]
  expect(one?.id).not.toBe(two?.id)
  expect(one).toMatchObject({ object: 'chat.completion', model: 'm', usage: { prompt_tokens: 13 } })
})

it('reads a list of text parts as its text', async () => {
  const whole = (await (await asking(PROMPT)).json()) as { choices: unknown }
  const parts = [PROMPT.slice(0, 20), PROMPT.slice(20)].map((text) => ({ type: 'text', text }))
  const listed = (await (await asking(parts)).json()) as { choices: unknown }
  expect(listed.choices).toEqual(whole.choices)
})

it('streams where that is asked for: the same text, then the end', async () => {
  const { choices } = (await (await asking(PROMPT)).json()) as {
    choices: { message: { content: string } }[]
  }
  const response = await asking(PROMPT, { stream: true })
  expect(response.headers.get('content-type')).toContain('text/event-stream')
  const events = (await response.text()).trimEnd().split('\n\n')
  expect(events.at(-1)).toBe('data: [DONE]')
  const chunks = events.slice(0, -1).map((event) => JSON.parse(event.slice('data: '.length)))
  const text = chunks.map((chunk) => chunk.choices[0].delta.content ?? '').join('')
  expect(text).toBe(choices[0]?.message.content)
  expect(chunks[0]).toMatchObject({ object: 'chat.completion.chunk', model: 'm' })
  expect(chunks.at(-1).choices[0]).toMatchObject({ delta: {}, finish_reason: 'stop' })
})

it('gives the usage of a stream in one more chunk, where that is asked for', async () => {
  const { usage } = (await (await asking(PROMPT)).json()) as { usage: object }
  const options = { stream: true, stream_options: { include_usage: true } }
  const events = (await (await asking(PROMPT, options)).text()).trimEnd().split('\n\n')
  const last = JSON.parse(events.at(-2)?.slice('data: '.length) ?? '')
  expect(last).toMatchObject({ choices: [], usage })
})

it.each([null, 5, {}, { messages: 'x' }, { messages: [] }, { messages: [{ content: [{}] }] }])(
  'refuses %j with what it expected',
  async (body) => {
    const response = await post(body)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { type: 'invalid_request_error' } })
  },
)
