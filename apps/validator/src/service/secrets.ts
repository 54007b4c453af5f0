import { maskUrls } from '@affine/terminal'

/** Takes out of a text what nobody may see. */
export type Hide = (text: string) => string

/** The URL of a node may hold a key, as its user or behind its host. */
const NODE_KEY = /(?<=:\/\/)[^/?,@]{3,}(?=@)|(?<=:\/\/[^/?,]*[/?])[^,]{8,}/g

/** What is secret in the URLs of nodes. */
export function nodeKeys(urls: string): readonly string[] {
  return urls.match(NODE_KEY) ?? []
}

/** What stands before the host, and behind the path, of what is meant to be a URL. */
const URL_SECRET = /(?<=^\w+:\/*)[^/].{2,}(?=@)|^[^:]{3,}(?=@)|(?<=[?#]).{3,}/gs

/** The user and the password in a URL, its query and its fragment, however it is written. */
export function secretsOfUrl(url = ''): readonly string[] {
  return url.match(URL_SECRET) ?? []
}

/**
 * Masks these secrets in texts, and as they stand in JSON; and what may be secret in any URL. The
 * longest first: one may be a part of another.
 */
export function hiding(secrets: readonly string[]): Hide {
  const written = new Set(secrets.flatMap((secret) => [secret, inJson(secret)]))
  const longestFirst = [...written].sort((a, b) => b.length - a.length)
  return (text) =>
    maskUrls(longestFirst.reduce((left, secret) => left.replaceAll(secret, maskOf(secret)), text))
}

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1)

/** The last two letters of a long one tell an operator which it is. */
function maskOf(secret: string): string {
  return secret.length < 16 ? '****' : `****${secret.slice(-2)}`
}
