// `node scripts/serve-gguf.mjs <file> --port 8003 --temperature 0` serves a language model like a
// miner, one reply at a time, with node-llama-cpp of the current folder. A GET request returns the
// numbers of calls, tokens and seconds.
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    port: { type: 'string', default: '8003' },
    temperature: { type: 'string', default: '0' },
    tokens: { type: 'string', default: '64' },
  },
})
const found = createRequire(`${process.cwd()}/`).resolve('node-llama-cpp')
const { getLlama, LlamaChatSession } = await import(found)
const llama = await getLlama({ build: 'never', gpu: false })
const model = await llama.loadModel({ modelPath: positionals[0] })
const context = await model.createContext({ contextSize: 4096, threads: 1 })
const contextSequence = context.getSequence()
const session = new LlamaChatSession({ contextSequence })
const done = { calls: 0, read: 0, written: 0, seconds: 0 }

const turnOf = ({ role, content }) =>
  role === 'assistant' ? { type: 'model', response: [content] } : { type: 'user', text: content }

/** Resolves with the chat completion of a request in JSON. */
async function completionOf(body) {
  const { messages } = JSON.parse(body)
  const began = performance.now()
  const before = contextSequence.tokenMeter.getState()
  // The library does not read the common prefix with the previous request again.
  session.setChatHistory(messages.slice(0, -1).map(turnOf))
  const limits = { maxTokens: Number(values.tokens), temperature: Number(values.temperature) }
  const content = await session.prompt(messages.at(-1).content, limits)
  const { usedInputTokens, usedOutputTokens } = contextSequence.tokenMeter.diff(before)
  done.calls += 1
  done.read += usedInputTokens
  done.written += usedOutputTokens
  done.seconds += (performance.now() - began) / 1000
  const usage = { prompt_tokens: usedInputTokens, completion_tokens: usedOutputTokens }
  const message = { role: 'assistant', content }
  const choices = [{ index: 0, finish_reason: 'stop', message }]
  return { object: 'chat.completion', choices, usage }
}

async function answer(body, response) {
  if (response.destroyed) return // the client has disconnected
  try {
    response.end(JSON.stringify(await completionOf(body)))
  } catch ({ message }) {
    response.writeHead(400).end(JSON.stringify({ error: { message } }))
  }
}

let turn = Promise.resolve()
const server = createServer(async (request, response) => {
  if (request.method === 'GET') return response.end(JSON.stringify(done))
  const body = await text(request)
  // Requests run one at a time, since there is one context.
  turn = turn.then(() => answer(body, response))
})
server.listen(Number(values.port), '127.0.0.1', () =>
  console.log(`serving http://127.0.0.1:${server.address().port}/v1; Ctrl-C ends it`),
)
