import { once } from 'node:events'
import { createServer } from 'node:http'
import { registry } from '@affine/envs'
import { digest, pcg64 } from '@affine/prng'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'

/**
 * A player for trying things out. Its skill is the share of replies, 0 to 1, that a perfect player
 * would have given; the others are drawn at random. Two players with one seed and one skill answer
 * alike, always.
 */
type Player = { readonly skill: number; readonly seed: string }

/** What the player replies to a prompt: a function of the two alone. */
export function playerReply(prompt: string, { skill, seed }: Player): string {
  const random = pcg64(BigInt(`0x${digest('player', seed, prompt).slice(0, 32)}`))
  for (const spec of registry.values()) {
    try {
      const perfect = spec.solve(prompt)
      return random.random() < skill ? perfect : spec.format(spec.actionSpace.sample(random))
    } catch {} // another environment's prompt
  }
  return 'I do not know this game.'
}

/**
 * An OpenAI-compatible server, its `url` up to and including `/v1`, that answers as `player` does,
 * from the last message alone.
 */
export async function serveMiner(player: Player, port: number): ReturnType<typeof listen> {
  const app = new Hono()
  app.post('/v1/chat/completions', bodyLimit({ maxSize: 1024 * 1024 }), async (context) => {
    const body = await context.req
      .json<{ messages?: { content?: unknown }[] } | null>()
      .catch(() => null)
    const prompt = Array.isArray(body?.messages) ? body.messages.at(-1)?.content : undefined
    if (typeof prompt !== 'string') {
      return context.json(
        { error: { message: '"messages" expected a list of { role, content }' } },
        400,
      )
    }
    const message = { role: 'assistant', content: playerReply(prompt, player) }
    const choices = [{ index: 0, finish_reason: 'stop', message }]
    return context.json({
      id: 'chatcmpl-0',
      object: 'chat.completion',
      created: 0,
      model: 'reference',
      choices,
    })
  })
  const server = await listen(app.fetch, port)
  return { ...server, url: `${server.url}/v1` }
}

type Handler = (request: Request) => Response | Promise<Response>

/**
 * Serves at `url`, on loopback without a `host`, until it is disposed of. Port 0 takes any free
 * one.
 */
export async function listen(
  serve: Handler,
  port: number,
  host = '127.0.0.1',
): Promise<Disposable & { url: string }> {
  const server = createServer(getRequestListener(serve)).setTimeout(60_000).listen(port, host)
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error
    throw new Error(`port ${port} is in use: choose another, or stop what listens there`)
  })
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${(server.address() as { readonly port: number }).port}`
  return { url, [Symbol.dispose]: () => server.close().closeAllConnections() }
}
