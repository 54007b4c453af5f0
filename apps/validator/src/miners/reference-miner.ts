import { registry } from '@affine/envs'
import { digest, pcg64 } from '@affine/prng'
import { type Listening, listen } from '../service/listen.ts'

/**
 * A player for trying things out. Its skill is the share of replies, 0 to 1, that a perfect player
 * would have given; the others are drawn at random. Two players with one seed and one skill answer
 * alike, always.
 */
type ReferencePlayer = { readonly skill: number; readonly seed: string }

/** A reply, and what it was to: `env` is undefined where the prompt is of none. */
interface Answered {
  readonly reply: string
  readonly env: string | undefined
  /** Would a perfect player have given it? */
  readonly isPerfect: boolean
}

/** What a request came to: nothing where it has no prompt. */
export type Exchange = (Answered & { readonly prompt: string }) | undefined

/** What the player replies to a prompt: a function of the two alone. */
export function playerReply(prompt: string, player: ReferencePlayer): string {
  return replyTo(prompt, player).reply
}

function replyTo(prompt: string, { skill, seed }: ReferencePlayer): Answered {
  const random = pcg64(BigInt(`0x${digest('player', seed, prompt).slice(0, 32)}`))
  for (const spec of registry.values()) {
    try {
      const perfect = spec.solve(prompt)
      const isGood = random.random() < skill
      const reply = isGood ? perfect : spec.format(spec.actionSpace.sample(random))
      return { reply, env: spec.id, isPerfect: reply === perfect }
    } catch {} // another environment's prompt
  }
  return { reply: 'I do not know this game.', env: undefined, isPerfect: false }
}

/**
 * An OpenAI-compatible server, its `url` up to and including `/v1`, that answers as `player` does,
 * from the last message alone. `hear` is told of every request.
 */
export async function serveMiner(
  player: ReferencePlayer,
  port: number,
  hear: (exchange: Exchange) => void = () => {},
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

/** The last message of a request; undefined when there is none. */
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
