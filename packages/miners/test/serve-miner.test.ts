import { afterAll, expect, it } from 'vitest'
import { serveMiner } from '../src/node/serve-miner.ts'

const PROMPT = 'Compute 12345678 * 87654321.\nGive the product.'
const PRODUCT = '1082152022374638'
const server = await serveMiner({ skill: 1, seed: '' }, 0)
afterAll(() => server[Symbol.dispose]())

const post = (body: unknown) =>
  fetch(`${server.url}/chat/completions`, { method: 'POST', body: JSON.stringify(body) })
const asking = (content: unknown, more: object = {}) =>
  post({ model: 'm', messages: [{ role: 'user', content }], ...more })

it('returns a completion of the requested model, also for list parts and unknown prompts', async () => {
  const parts = [PROMPT.slice(0, 20), PROMPT.slice(20)].map((text) => ({ type: 'text', text }))
  const unknown = ['Play chess.', 'I do not know this game.'] as const
  for (const [prompt, content] of [[PROMPT, PRODUCT], [parts, PRODUCT], unknown]) {
    const choices = [{ message: { content } }]
    expect(await (await asking(prompt)).json()).toMatchObject({ model: 'm', choices })
  }
})

it.each([
  null,
  5,
  {},
  { messages: 'x' },
  { messages: [] },
  { messages: [{ content: [{}] }] },
  { messages: [{ content: PROMPT }], stream: true },
])('rejects %j and states the expected request', async (body) => {
  const response = await post(body)
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ error: { type: 'invalid_request_error' } })
})

it.each([
  ['too large', ' '.repeat(2 ** 20 + 1)],
  ['of unstated length', new Blob(['{}']).stream()],
])('rejects a request that is %s', async (_, body) => {
  const url = `${server.url}/chat/completions`
  const { status } = await fetch(url, { method: 'POST', body, duplex: 'half' } as RequestInit)
  expect(status).toBe(413)
})
