import type { Received } from './query.ts'

/** How much of a body is quoted. */
const QUOTED = 120

export const SEE_LOG = 'the log of the server may say why'

/** A status, with the first words of the body. */
export function statusText({ status, text }: Pick<Received, 'status' | 'text'>): string {
  return `status ${status}, ${quote(text)}`
}

/** A redirect: where it goes, or else the first words of the body. */
export function redirectText(received: Received): string {
  const { status, headers } = received
  const { location } = headers
  const said = location ? `status ${status} to ${quote(location)}` : statusText(received)
  return `${said}: no redirect is followed: name the address that answers`
}

/** Any other status than 200, with the first words of the body, and what to try. */
export function refusalText(received: Received, url: string): string {
  return `${statusText(received)}: ${adviceOn(received.status, url)}`
}

function adviceOn(status: number, url: string): string {
  if (status < 300) return 'a chat completion has the status 200'
  if (status === 401 || status === 403)
    return 'start the server without an API key of its own: validators do not have that key'
  const base = likelyBase(url)
  const isElsewhere = status === 404 || status === 405
  if (isElsewhere && base !== undefined) return `is it at ${base}?`
  if (status === 404) return "check the URL and the model's name"
  if (status === 405) return 'no POST is taken there, check the URL'
  return SEE_LOG
}

/** What to try where something else than a chat completion came from `url`. */
export function apiAdvice(url: string): string {
  const base = likelyBase(url)
  if (base !== undefined) return `is it at ${base}?`
  return 'is it an OpenAI-compatible API, at a URL that ends with /v1?'
}

/** Where an endpoint probably is, if its URL lacks "/v1" or goes on after it. */
function likelyBase(url: string): string | undefined {
  const [, host] = /^(https?:\/\/[^/]+)\/chat\/completions$/.exec(url) ?? []
  const [, twice] = /^(.+)\/chat\/completions\/chat\/completions$/.exec(url) ?? []
  return host === undefined ? twice : `${host}/v1`
}

/** The first words of a body, as a JSON text. */
export function quote(text: unknown): string {
  const words = String(text).trim()
  if (words === '') return 'an empty body'
  return JSON.stringify(words.length > QUOTED ? `${words.slice(0, QUOTED)}…` : words)
}
