import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { Message } from '@affine/envs'
import type { Json } from '@affine/prng'
import { type Player, playerReply } from './reference-player.ts'

const MAX_REQUEST_BYTES = 1024 * 1024

/** An OpenAI-compatible HTTP server that answers as `player` does, from the last message alone. Not started: call `listen`. */
export function minerServer(player: Player): Server {
  return createServer((request, response) => {
    const answer = (status: number, body: Json): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    }
    const refuse = (status: number, message: string): void =>
      answer(status, { error: { message, type: 'invalid_request' } })
    if (request.method !== 'POST' || request.url !== '/v1/chat/completions') {
      return refuse(404, 'this miner serves POST /v1/chat/completions')
    }
    readJson(request).then(
      (body) => {
        const messages = messagesOf(body)
        if (messages === null) return refuse(400, '"messages" expected a list of { role, content }')
        const content = playerReply(messages.at(-1)?.content ?? '', player)
        const choice = { index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }
        answer(200, { id: 'chatcmpl-0', object: 'chat.completion', created: 0, model: 'reference', choices: [choice] })
      },
      (error: Error) => refuse(400, error.message),
    )
  })
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MAX_REQUEST_BYTES) throw new RangeError(`a request may have ${MAX_REQUEST_BYTES} bytes`)
    chunks.push(chunk)
  }
  return JSON.parse(Buffer.concat(chunks).toString('utf8'))
}

function messagesOf(body: unknown): readonly Message[] | null {
  const messages = (body as { messages?: unknown } | null)?.messages
  const sound = (m: unknown): m is Message => typeof (m as Message | null)?.content === 'string'
  return Array.isArray(messages) && messages.every(sound) ? messages : null
}
