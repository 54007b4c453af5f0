import { NoReply } from './no-reply.ts'
import type { Received } from './query.ts'

/** How much of a body is quoted. */
const QUOTED = 120

/**
 * The text of the first choice of a chat completion. A list of text parts is their texts, one after
 * the other; an empty one beside reasoning is no reply. Protocol §5.4.
 * @throws NoReply for whatever else came from `url`.
 */
export function completionIn(received: Received, url: string): string {
  const { status, headers, text } = received
  if (status >= 300 && status < 400) {
    const advice = 'no redirect is followed: name the address that answers'
    throw new NoReply('redirect', `status ${status} to ${quote(headers.location)}: ${advice}`)
  }
  if (status !== 200) throw new NoReply('status', refusalText(received, url))
  if (/^(data|event|id|:)/.test(text))
    throw new NoReply('stream', 'a stream of events came: "stream" was not asked for')
  return textOf(parse(text))
}

/** A status, with the first words of the body. */
export function statusText({ status, text }: Pick<Received, 'status' | 'text'>): string {
  return `status ${status}, ${quote(text)}`
}

function refusalText(received: Received, url: string): string {
  const { status } = received
  const said = statusText(received)
  if (status === 401 || status === 403) return `${said}: it must answer without a key of its own`
  const base = status === 404 ? likelyBase(url) : undefined
  return base === undefined ? said : `${said}: is it at ${base}?`
}

/** Where an endpoint probably is, if its URL lacks "/v1" or goes on after it. */
function likelyBase(url: string): string | undefined {
  const [, host] = /^(https?:\/\/[^/]+)\/chat\/completions$/.exec(url) ?? []
  const [, twice] = /^(.+)\/chat\/completions\/chat\/completions$/.exec(url) ?? []
  return host === undefined ? twice : `${host}/v1`
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    const mark = body.startsWith('\uFEFF') ? 'a byte order mark and then ' : ''
    throw new NoReply('not-json', `expected JSON, got ${mark}${quote(body.replace('\uFEFF', ''))}`)
  }
}

function textOf(completion: unknown): string {
  const { choices, error } = Object(completion)
  if (error) throw new NoReply('error', `status 200 with an error: ${quote(JSON.stringify(error))}`)
  const message = Object(Object(choices)[0]).message
  const text = partsOf(Object(message).content)
  const isMissing = text === undefined || (text.trim() === '' && reasoningIn(Object(message)))
  if (isMissing) throw new NoReply('no-text', lackOf(Object(message)))
  return text
}

/** A text, or the text of a list of text parts. */
export function partsOf(content: unknown): string | undefined {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return undefined
  const texts: unknown[] = content.map((part) =>
    Object(part).type === 'text' ? Object(part).text : undefined,
  )
  if (!texts.every((text) => typeof text === 'string')) return undefined
  return texts.join('')
}

type MessageFields = Readonly<Record<string, unknown>>

/** Servers differ in the name. */
const reasoningIn = ({ reasoning, reasoning_content: content }: MessageFields): unknown =>
  content || reasoning

/** What a message has instead of a text. */
function lackOf(message: MessageFields): string {
  if (Object.keys(message).length === 0) return 'choices[0].message is missing'
  const { tool_calls: calls } = message
  if (Array.isArray(calls) && calls.length > 0)
    return 'tool calls came instead of a text: serve the model without tools'
  if (reasoningIn(message))
    return 'reasoning came without a text: allow more tokens, or have it parsed as text'
  return `choices[0].message.content expected a text, got ${quote(JSON.stringify(message.content))}`
}

const quote = (text: unknown): string => {
  const words = String(text ?? 'nothing').trim()
  if (words === '') return 'an empty body'
  return JSON.stringify(words.length > QUOTED ? `${words.slice(0, QUOTED)}…` : words)
}
