import { listen } from '@affine/node/listen'
import { joinTextParts } from '../completion.ts'
import { answerPrompt, type ReferencePlayer, type ReferenceReply } from '../reference-miner.ts'

/** What a request came to: nothing where it has no prompt. */
export type HeardRequest = (ReferenceReply & { readonly prompt: string }) | undefined

/**
 * An OpenAI-compatible server, its `url` up to and including `/v1`, that answers as `player` does,
 * from the last message alone, whatever the model is called. It does not stream. `hear` is told of
 * every request.
 */
export async function serveMiner(
  player: ReferencePlayer,
  port: number,
  hear: (request: HeardRequest) => void = () => {},
): Promise<{ readonly url: string } & Disposable> {
  // Here, so that most commands start without them.
  const { Hono } = await import('hono')
  const { bodyLimit } = await import('hono/body-limit')
  const app = new Hono()
  let count = 0
  app.get('/v1/models', (context) => context.json(MODELS))
  app.post('/v1/chat/completions', bodyLimit({ maxSize: 1024 * 1024 }), async (context) => {
    const { messages, model, stream } = Object(await context.req.json().catch(() => null))
    const prompt = Array.isArray(messages)
      ? joinTextParts(Object(messages.at(-1)).content)
      : undefined
    const isAsked = prompt !== undefined && stream !== true
    const answered = isAsked ? { prompt, ...answerPrompt(prompt, player) } : undefined
    hear(answered)
    if (answered === undefined) return context.json(NO_PROMPT, 400)
    count += 1
    const message = { role: 'assistant', content: answered.reply }
    return context.json({
      id: `chatcmpl-${count}`,
      object: 'chat.completion',
      created: 0,
      model: typeof model === 'string' ? model : MODEL,
      choices: [{ index: 0, finish_reason: 'stop', message }],
    })
  })
  const server = await listen(app.fetch, port)
  return { ...server, url: `${server.url}/v1` }
}

const MODEL = 'reference'
const MODELS = {
  object: 'list',
  data: [{ id: MODEL, object: 'model', created: 0, owned_by: 'af' }],
}
const NO_PROMPT = {
  error: {
    message:
      '"messages" expected a list of { role, content }, with a text or text parts; no "stream"',
    type: 'invalid_request_error',
  },
}
