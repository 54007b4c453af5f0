import { AskingProblem, type Received } from './asking.ts'

/**
 * The text of the first choice of a chat completion. A list of text parts is their texts, one after
 * the other. A blank one is no reply where something tells why there is no text. Protocol §5.4.
 * @throws AskingProblem for whatever else came from `url`.
 */
export function readCompletion(received: Received, url: string): string {
  const { status } = received
  if (status >= 300 && status < 400)
    throw new AskingProblem('redirect', describeRedirect(received), status)
  if (status !== 200)
    throw new AskingProblem(
      'status',
      `${describeStatus(received)}: ${adviseOnStatus(status, url)}`,
      status,
    )
  return extractText(parseBody(received, url), url)
}

function parseBody({ text: body, headers }: Received, url: string): unknown {
  try {
    return JSON.parse(body)
  } catch (error) {
    if (isStream(body, headers['content-type'])) {
      const advice = 'none was asked for: turn streaming off in the server'
      throw new AskingProblem('stream', `a stream of events came, ${quote(body)}: ${advice}`)
    }
    const isJsonLike = /^\s*[{[]/.test(body)
    // It has the position of the fault, or the characters around it.
    const fault = isJsonLike ? `: ${(error as Error).message.replace(/[^ -~]+/g, '?')}` : ''
    const advice = isJsonLike || body.trim() === '' ? SEE_LOG : adviseOnApi(url)
    throw new AskingProblem('not-json', `expected JSON, got ${quote(body)}${fault}: ${advice}`)
  }
}

/** By its type, or by its first field. */
function isStream(body: string, type: unknown): boolean {
  return /^text\/event-stream\b/i.test(String(type)) || /^\s*(data|event|id|retry)?:/.test(body)
}

function extractText(completion: unknown, url: string): string {
  const { choices, error, object } = Object(completion)
  const isError = error || (object === 'error' && choices === undefined)
  if (isError) {
    const said = quote(JSON.stringify(error || completion))
    throw new AskingProblem('error', `status 200 with an error: ${said}: ${SEE_LOG}`)
  }
  const choice = Object(Object(choices)[0])
  const { message } = choice
  if (Object.keys(Object(message)).length === 0) {
    const said = `choices[0].message is missing in ${quote(JSON.stringify(completion))}`
    throw new AskingProblem('no-text', `${said}: ${adviseOnApi(url)}`)
  }
  const text = joinTextParts(message.content)
  const why = explainBlankText(choice)
  if (text === undefined || (text.trim() === '' && why !== undefined))
    throw new AskingProblem('no-text', why ?? describeMissingText(choice))
  return text
}

/** A text, or the text of a list of text parts, which is not empty. */
export function joinTextParts(content: unknown): string | undefined {
  if (typeof content === 'string') return content
  if (!Array.isArray(content) || content.length === 0) return undefined
  const texts: unknown[] = content.map((part) =>
    Object(part).type === 'text' ? Object(part).text : undefined,
  )
  if (!texts.every((text) => typeof text === 'string')) return undefined
  return texts.join('')
}

interface Choice {
  readonly message: Readonly<Record<string, unknown>>
  readonly finish_reason?: unknown
}

/** What came instead of a text, if a choice tells. Servers differ in the name of reasoning. */
function explainBlankText({ message, finish_reason: finish }: Choice): string | undefined {
  const { tool_calls: calls, reasoning, reasoning_content: thoughts } = message
  if (Array.isArray(calls) && calls.length > 0)
    return 'tool calls came instead of a text: serve the model without tools'
  if (thoughts || reasoning)
    return 'reasoning came without a text: allow more tokens, or have it parsed as text'
  if (finish === 'length')
    return 'the limit of tokens was reached without a text: raise max_tokens in the server'
  return undefined
}

function describeMissingText(choice: Choice): string {
  const { content } = choice.message
  const got = content ? quote(JSON.stringify(content)) : String(content ?? 'nothing')
  const said = `choices[0].message.content expected a text, got ${got}`
  const advice = 'serve the model without parsers of tools or reasoning'
  return `${said}, in ${quote(JSON.stringify(choice))}: ${advice}`
}

/** How much of a body is quoted. */
const QUOTE_LENGTH = 120

const SEE_LOG = 'the log of the server may say why'

/** A status, with the first words of the body. */
export function describeStatus({ status, text }: Pick<Received, 'status' | 'text'>): string {
  return `status ${status}, ${quote(text)}`
}

/** A redirect: where it goes, or else the first words of the body. */
function describeRedirect(received: Received): string {
  const { status, headers } = received
  const { location } = headers
  const said = location ? `status ${status} to ${quote(location)}` : describeStatus(received)
  return `${said}: no redirect is followed: name the address that answers`
}

/** What to try after any other status than 200. */
function adviseOnStatus(status: number, url: string): string {
  if (status < 300) return 'a chat completion has the status 200'
  if (status === 401 || status === 403)
    return 'start the server without an API key of its own: validators do not have that key'
  const base = guessBaseUrl(url)
  const isElsewhere = status === 404 || status === 405
  if (isElsewhere && base !== undefined) return `is it at ${base}?`
  if (status === 404) return "check the URL and the model's name"
  if (status === 405) return 'no POST is taken there, check the URL'
  return SEE_LOG
}

/** What to try where something else than a chat completion came from `url`. */
function adviseOnApi(url: string): string {
  const base = guessBaseUrl(url)
  if (base !== undefined) return `is it at ${base}?`
  return 'is it an OpenAI-compatible API, at a URL that ends with /v1?'
}

/** Where an endpoint probably is, if its URL lacks "/v1" or goes on after it. */
function guessBaseUrl(url: string): string | undefined {
  const [, host] = /^(https?:\/\/[^/]+)\/chat\/completions$/.exec(url) ?? []
  const [, twice] = /^(.+)\/chat\/completions\/chat\/completions$/.exec(url) ?? []
  return host === undefined ? twice : `${host}/v1`
}

/** The first words of a body, as a JSON text. */
function quote(text: unknown): string {
  const words = String(text).trim()
  if (words === '') return 'an empty body'
  return JSON.stringify(words.length > QUOTE_LENGTH ? `${words.slice(0, QUOTE_LENGTH)}…` : words)
}
