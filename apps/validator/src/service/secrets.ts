import { maskUrls } from '@affine/terminal'

/** Masks secrets in a text. */
export type Hide = (text: string) => string

/** What follows the host in a node's URL, which may contain a key. */
const NODE_KEY = /(?<=^\w+:[/\\]*[^/\\?#]+[/\\?#]).{8,}/gs

/** The secret parts of the URLs of nodes, which commas separate. */
export function nodeKeys(urls: string): readonly string[] {
  return urls.split(',').flatMap((url) => [...secretsOfUrl(url), ...(url.match(NODE_KEY) ?? [])])
}

/** The parts before the host and after the path, even if the URL is malformed. */
const URL_SECRET = /(?=[^/\\])(?<=^\w+:[/\\]*).{3,}(?=@)|^[^:]{3,}(?=@)|(?<=[?#]).{3,}/gs

/** The user and the password in a URL, its query and its fragment, even if it is malformed. */
export function secretsOfUrl(url = ''): readonly string[] {
  return url.match(URL_SECRET) ?? []
}

/**
 * Masks these secrets in texts, also as JSON escapes them, and what may be secret in any URL. The
 * longest secret comes first, because one may contain another.
 */
export function hiding(secrets: readonly string[]): Hide {
  const written = new Set(secrets.flatMap((secret) => [secret, inJson(secret)]))
  const longestFirst = [...written].sort((a, b) => b.length - a.length)
  return (text) =>
    maskUrls(longestFirst.reduce((left, secret) => left.replaceAll(secret, maskOf(secret)), text))
}

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1)

/** The last two characters of a long secret stay, so that an operator can recognise it. */
function maskOf(secret: string): string {
  return secret.length < 16 ? '****' : `****${secret.slice(-2)}`
}
