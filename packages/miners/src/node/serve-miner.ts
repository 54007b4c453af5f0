import type { Context } from 'hono'
import { partsOf } from '../completion.ts'
import {
  type Answered,
  completionOf,
  eventsOf,
  MODEL,
  type ReferencePlayer,
  replyTo,
  type Served,
} from '../reference-miner.ts'
import { type Listening, listen } from './listen.ts'

/** What a request came to: nothing where it has no prompt. */
export type HeardRequest = (Answered & { readonly prompt: string }) | undefined

/**
 * An OpenAI-compatible server, its `url` up to and including `/v1`, that answers as `player` does,
 * from the last message alone, whatever the model is called. It streams where that is asked for.
 * `hear` is told of every request.
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
  let count = 0
  app.get('/v1/models', (context) => context.json(MODELS))
  app.post('/v1/chat/completions', bodyLimit({ maxSize: 1024 * 1024 }), async (context) => {
    const asked = questionIn(await context.req.json().catch(() => null))
    const answered = asked && { prompt: asked.prompt, ...replyTo(asked.prompt, player) }
    hear(answered)
    if (asked === undefined || answered === undefined) return context.json(NO_PROMPT, 400)
    count += 1
    return answerWith({ ...asked, index: count, reply: answered.reply }, asked.events, context)
  })
  const server = await listen(app.fetch, port)
  return { ...server, url: `${server.url}/v1` }
}

const MODELS = {
  object: 'list',
  data: [{ id: MODEL, object: 'model', created: 0, owned_by: 'af' }],
}
const NO_PROMPT = {
  error: {
    message: '"messages" expected a list of { role, content }, with a text or text parts',
    type: 'invalid_request_error',
  },
}

/** What a request asks. `events` is undefined if it wants no stream. */
interface Question {
  readonly prompt: string
  readonly model: string
  readonly events: { readonly wantsUsage: boolean } | undefined
}

/** Undefined without a prompt, which is the request's last message. */
function questionIn(body: unknown): Question | undefined {
  const { messages, model, stream, stream_options } = Object(body)
  const prompt = Array.isArray(messages) ? partsOf(Object(messages.at(-1)).content) : undefined
  if (prompt === undefined) return undefined
  const wantsUsage = Object(stream_options).include_usage === true
  const events = stream === true ? { wantsUsage } : undefined
  return { prompt, model: typeof model === 'string' ? model : MODEL, events }
}

function answerWith(served: Served, events: Question['events'], context: Context): Response {
  if (events === undefined) return context.json(completionOf(served))
  const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' }
  return context.body(eventsOf(served, events.wantsUsage), 200, headers)
}
