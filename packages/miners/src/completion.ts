import { type HttpResponse, MinerError } from './asking.ts'

/**
 * Returns the text of the first choice of a chat completion. A list of text parts is joined. A
 * blank text is rejected if the choice states why there is no text. Protocol §5.4.
 * @throws MinerError for any other response.
 */
export function readCompletion(received: HttpResponse): string {
  const { status, headers, text } = received
  if (status === 200) return extractText(parseBody(text))
  if (status < 300 || status >= 400) {
    const advice = status === 401 || status === 403 ? NO_KEY : CHECK
    throw new MinerError('status', `${showStatus(received)}: ${advice}`, status)
  }
  const { location } = headers
  const got = location ? `status ${status} to ${quote(location)}` : showStatus(received)
  const advice = 'redirects are not followed; use the final address'
  throw new MinerError('redirect', `${got}: ${advice}`, status)
}

const NO_KEY = 'start the server without an API key; validators do not have one'
const CHECK = "check the URL up to /v1, the model's name and the server's log"

function parseBody(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch (error) {
    // The parser's message contains the position of the error, or the text around it.
    const detail = (error as Error).message.replace(/[^ -~]+/g, '?')
    throw new MinerError('not-json', `expected JSON, got ${quote(body)}: ${detail}: ${CHECK}`)
  }
}

function extractText(completion: unknown): string {
  const choice = Object(Object(completion).choices)[0]
  const { message, finish_reason: finish } = Object(choice)
  const text = joinParts(Object(message).content)
  if (text !== undefined && (text.trim() !== '' || !explainsBlankText(message, finish))) return text
  const got = quote(JSON.stringify(choice ?? completion))
  const advice = message ? 'allow more tokens, without parsers of tools and reasoning' : CHECK
  throw new MinerError('no-text', `choices[0].message.content has no text in ${got}: ${advice}`)
}

/** Returns a text, or the joined texts of a non-empty list of text parts; otherwise undefined. */
export function joinParts(content: unknown): string | undefined {
  if (typeof content === 'string') return content
  if (!Array.isArray(content) || content.length === 0) return undefined
  const isText = (part: unknown): boolean =>
    Object(part).type === 'text' && typeof Object(part).text === 'string'
  return content.every(isText) ? content.map(({ text }) => text).join('') : undefined
}

/** Reports whether a choice states why its text is blank. Servers name reasoning differently. */
function explainsBlankText(
  { tool_calls: calls, reasoning, reasoning_content: thoughts }: Readonly<Record<string, unknown>>,
  finish: unknown,
): boolean {
  const hasCalls = Array.isArray(calls) && calls.length > 0
  return hasCalls || Boolean(thoughts || reasoning) || finish === 'length'
}

/** Maximum quoted characters of a body. */
const QUOTE_LENGTH = 120

export function showStatus({ status, text }: Pick<HttpResponse, 'status' | 'text'>): string {
  return `status ${status}, ${quote(text)}`
}

/** Returns the beginning of a body as a JSON text. */
function quote(text: unknown): string {
  const words = String(text).trim()
  if (words === '') return 'an empty body'
  return JSON.stringify(words.length > QUOTE_LENGTH ? `${words.slice(0, QUOTE_LENGTH)}…` : words)
}
