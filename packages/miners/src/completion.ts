import { type HttpResponse, MinerError } from './asking.ts'

/**
 * Returns the text of the first choice of a chat completion. A list of text parts is joined. A
 * blank text is rejected if the choice states why there is no text. Protocol §5.4.
 * @throws MinerError for any other response from `url`.
 */
export function readCompletion(received: HttpResponse, url: string): string {
  const { status, headers } = received
  if (status === 200) return extractText(parseBody(received, url), url)
  if (status < 300 || status >= 400)
    throw new MinerError('status', `${showStatus(received)}: ${advise(status, url)}`, status)
  const { location } = headers
  const got = location ? `status ${status} to ${quote(location)}` : showStatus(received)
  const advice = 'redirects are not followed; use the final address'
  throw new MinerError('redirect', `${got}: ${advice}`, status)
}

function parseBody({ text: body, headers }: HttpResponse, url: string): unknown {
  try {
    return JSON.parse(body)
  } catch (error) {
    if (isStream(body, headers['content-type'])) {
      const advice = 'streaming was not requested; disable it on the server'
      throw new MinerError('stream', `got a stream of events, ${quote(body)}: ${advice}`)
    }
    const isJsonLike = /^\s*[{[]/.test(body)
    // The parser's message contains the position of the error, or the text around it.
    const detail = isJsonLike ? `: ${(error as Error).message.replace(/[^ -~]+/g, '?')}` : ''
    const advice = isJsonLike || body.trim() === '' ? SEE_LOG : adviseOnApi(url)
    throw new MinerError('not-json', `expected JSON, got ${quote(body)}${detail}: ${advice}`)
  }
}

/** Reports whether a body is a stream of events, by its content type or its first field. */
function isStream(body: string, type: unknown): boolean {
  return /^text\/event-stream\b/i.test(String(type)) || /^\s*(data|event|id|retry)?:/.test(body)
}

function extractText(completion: unknown, url: string): string {
  const { choices, error, object } = Object(completion)
  if (error || (object === 'error' && choices === undefined)) {
    const got = quote(JSON.stringify(error || completion))
    throw new MinerError('error', `status 200 with an error: ${got}: ${SEE_LOG}`)
  }
  const choice = Object(Object(choices)[0])
  const { message } = choice
  if (Object.keys(Object(message)).length === 0) {
    const got = `choices[0].message is missing in ${quote(JSON.stringify(completion))}`
    throw new MinerError('no-text', `${got}: ${adviseOnApi(url)}`)
  }
  const text = joinParts(message.content)
  const why = explainBlankText(message, choice.finish_reason)
  if (text !== undefined && (text.trim() !== '' || why === undefined)) return text
  const got = message.content ? quote(JSON.stringify(message.content)) : message.content
  const fault = `choices[0].message.content expected a text, got ${got ?? 'nothing'}`
  const context = `in ${quote(JSON.stringify(choice))}: disable the parsers of tools and reasoning`
  throw new MinerError('no-text', why ?? `${fault}, ${context}`)
}

/** Returns a text, or the joined texts of a non-empty list of text parts; otherwise undefined. */
export function joinParts(content: unknown): string | undefined {
  if (typeof content === 'string') return content
  if (!Array.isArray(content) || content.length === 0) return undefined
  const isText = (part: unknown): boolean =>
    Object(part).type === 'text' && typeof Object(part).text === 'string'
  return content.every(isText) ? content.map(({ text }) => text).join('') : undefined
}

/**
 * Returns the reason for a missing text, if a choice states one. Servers have different
 * names for reasoning.
 */
function explainBlankText(
  { tool_calls: calls, reasoning, reasoning_content: thoughts }: Readonly<Record<string, unknown>>,
  finish: unknown,
): string | undefined {
  if (Array.isArray(calls) && calls.length > 0)
    return 'the response has tool calls instead of a text: serve the model without tools'
  if (thoughts || reasoning)
    return 'the response has reasoning without a text: allow more tokens or disable the parser'
  if (finish === 'length')
    return 'the token limit was reached without a text: raise max_tokens on the server'
  return undefined
}

/** Maximum quoted characters of a body. */
const QUOTE_LENGTH = 120

const SEE_LOG = "see the server's log"

export function showStatus({ status, text }: Pick<HttpResponse, 'status' | 'text'>): string {
  return `status ${status}, ${quote(text)}`
}

function advise(status: number, url: string): string {
  if (status < 300) return 'expected status 200'
  if (status === 401 || status === 403)
    return 'start the server without an API key; validators do not have one'
  const base = guessBaseUrl(url)
  const isElsewhere = status === 404 || status === 405
  if (isElsewhere && base !== undefined) return `try ${base}`
  if (status === 404) return "check the URL and the model's name"
  if (status === 405) return 'the server does not accept POST there; check the URL'
  return SEE_LOG
}

/** Returns advice for a response from `url` that is not a chat completion. */
function adviseOnApi(url: string): string {
  const base = guessBaseUrl(url)
  if (base !== undefined) return `try ${base}`
  return 'use the URL of an OpenAI-compatible API, up to and including /v1'
}

/** Returns the likely base URL of an endpoint whose URL lacks "/v1" or continues after it. */
function guessBaseUrl(url: string): string | undefined {
  const [, host] = /^(https?:\/\/[^/]+)\/chat\/completions$/.exec(url) ?? []
  const [, twice] = /^(.+)\/chat\/completions\/chat\/completions$/.exec(url) ?? []
  return host === undefined ? twice : `${host}/v1`
}

/** Returns the beginning of a body as a JSON text. */
function quote(text: unknown): string {
  const words = String(text).trim()
  if (words === '') return 'an empty body'
  return JSON.stringify(words.length > QUOTE_LENGTH ? `${words.slice(0, QUOTE_LENGTH)}…` : words)
}
