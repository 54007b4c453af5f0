// `node scripts/serve-gguf.mjs <file> --port 8003 --temperature 0` serves a language model as a
// miner does, one reply after another, with the node-llama-cpp of the folder that it is started in.
// A GET says what it has done so far.
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

/** A turn of a conversation, as the library has it. */
const turnOf = ({ role, content }) =>
  role === 'assistant' ? { type: 'model', response: [content] } : { type: 'user', text: content }

/** A chat completion of a request, which is JSON. */
async function completionOf(body) {
  const { messages } = JSON.parse(body)
  const began = performance.now()
  const before = contextSequence.tokenMeter.getState()
  // What it remembers of the request before is not read again.
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

/** Answers one request. */
async function answer(body, response) {
  if (response.destroyed) return // nobody waits for it any more
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
  // One after another: there is one context.
  turn = turn.then(() => answer(body, response))
})
server.listen(Number(values.port), '127.0.0.1', () =>
  console.log(`serving http://127.0.0.1:${server.address().port}/v1; Ctrl-C ends it`),
)
