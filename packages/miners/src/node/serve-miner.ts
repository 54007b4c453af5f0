import { type Answered, type ReferencePlayer, replyTo } from '../reference-miner.ts'
import { type Listening, listen } from './listen.ts'

/** What a request came to: nothing where it has no prompt. */
export type HeardRequest = (Answered & { readonly prompt: string }) | undefined

/**
 * An OpenAI-compatible server, its `url` up to and including `/v1`, that answers as `player` does,
 * from the last message alone. `hear` is told of every request.
 */
export async function serveMiner(
  player: ReferencePlayer,
  port: number,
  hear: (request: HeardRequest) => void = () => {},
): Promise<Listening> {
  // Here, so that most commands start without them.
  const { Hono } = await import('hono')
  const { bodyLimit } = await import('hono/body-limit')
  const app = new Hono()
  app.post('/v1/chat/completions', bodyLimit({ maxSize: 1024 * 1024 }), async (context) => {
    const prompt = promptIn(await context.req.json().catch(() => null))
    const answered = prompt === undefined ? undefined : { prompt, ...replyTo(prompt, player) }
    hear(answered)
    if (answered === undefined) return context.json(NO_PROMPT, 400)
    return context.json(completionOf(answered.reply))
  })
  const server = await listen(app.fetch, port)
  return { ...server, url: `${server.url}/v1` }
}

const NO_PROMPT = { error: { message: '"messages" expected a list of { role, content }' } }

/** The last message of a request; undefined without one. */
function promptIn(body: { readonly messages?: unknown } | null): string | undefined {
  const messages: unknown = body?.messages
  if (!Array.isArray(messages)) return undefined
  const prompt: unknown = messages.at(-1)?.content
  return typeof prompt === 'string' ? prompt : undefined
}

function completionOf(content: string): object {
  const message = { role: 'assistant', content }
  return {
    id: 'chatcmpl-0',
    object: 'chat.completion',
    created: 0,
    model: 'reference',
    choices: [{ index: 0, finish_reason: 'stop', message }],
  }
}
