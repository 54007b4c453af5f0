import { createServer, type Server } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { type Player, playerReply } from './reference-player.ts'

/** An OpenAI-compatible server that answers as `player` does, from the last message alone. Not started: call `listen`. */
export function minerServer(player: Player): Server {
  const app = new Hono()
  app.post('/v1/chat/completions', bodyLimit({ maxSize: 1024 * 1024 }), async (context) => {
    const body = await context.req.json<{ messages?: { content?: unknown }[] } | null>().catch(() => null)
    const prompt = Array.isArray(body?.messages) ? body.messages.at(-1)?.content : undefined
    if (typeof prompt !== 'string') {
      return context.json({ error: { message: '"messages" expected a list of { role, content }' } }, 400)
    }
    const message = { role: 'assistant', content: playerReply(prompt, player) }
    const choices = [{ index: 0, finish_reason: 'stop', message }]
    return context.json({ id: 'chatcmpl-0', object: 'chat.completion', created: 0, model: 'reference', choices })
  })
  return createServer(getRequestListener(app.fetch))
}
