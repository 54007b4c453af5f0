import { listen } from '@affine/node/listen'
import { joinParts } from '../completion.ts'
import { playerReply, type ReferencePlayer } from '../reference-miner.ts'

/**
 * Serves an OpenAI-compatible API that answers as `player` does, to the last message, for any model
 * name and without streaming. `url` ends with `/v1`.
 */
export async function serveMiner(
  player: ReferencePlayer,
  port: number,
): Promise<{ readonly url: string } & Disposable> {
  // `hono` is loaded on demand, because most commands of `af` do not need it.
  const { Hono } = await import('hono')
  const app = new Hono()
  app.post('/v1/chat/completions', async (context) => {
    // Hono's own limit is not used: it makes a web stream of each body, which is slow.
    const length = context.req.header('content-length') ?? Number.POSITIVE_INFINITY
    if (Number(length) > REQUEST_BYTES) return context.json(TOO_LARGE, 413)
    const { messages, model, stream } = Object(await context.req.json().catch(() => null))
    const prompt = Array.isArray(messages) ? joinParts(Object(messages.at(-1)).content) : undefined
    if (prompt === undefined || stream === true) return context.json(NO_PROMPT, 400)
    const message = { role: 'assistant', content: playerReply(prompt, player) }
    return context.json({
      id: 'chatcmpl',
      object: 'chat.completion',
      created: 0,
      model,
      choices: [{ index: 0, finish_reason: 'stop', message }],
    })
  })
  const server = await listen(app.fetch, port)
  return { ...server, url: `${server.url}/v1` }
}

const REQUEST_BYTES = 1024 * 1024

const createRefusal = (message: string) => ({ error: { message, type: 'invalid_request_error' } })
const NO_PROMPT = createRefusal(
  '"messages" must be a list of { role, content } with a text or text parts, "stream" not true',
)
const TOO_LARGE = createRefusal(
  `the request must state its length, of at most ${REQUEST_BYTES} bytes`,
)
