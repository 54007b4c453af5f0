import { toJson } from '@affine/report'
import { maskUrls } from '@affine/terminal'

export type Masker = (text: string) => string

/** Matches the part of a node's URL after the host, which may contain a key. */
const NODE_KEY = /(?<=^\w+:[/\\]*[^/\\?#]+[/\\?#]).{8,}/gs

/** Returns the secret parts of `urls`, the URLs of nodes with commas between them. */
export function findNodeKeys(urls: string): readonly string[] {
  return urls.split(',').flatMap((url) => [...findUrlSecrets(url), ...(url.match(NODE_KEY) ?? [])])
}

const URL_SECRET = /(?=[^/\\])(?<=^\w+:[/\\]*).{3,}(?=@)|^[^:]{3,}(?=@)|(?<=[?#]).{3,}/gs

/** Returns the user with password, the query and the fragment of a URL, even of a malformed one. */
export function findUrlSecrets(url = ''): readonly string[] {
  return url.match(URL_SECRET) ?? []
}

/**
 * Returns a function that masks these secrets, also as JSON escapes them, and the secret parts of
 * any URL. Masks the longest secret first, because it may contain another one.
 */
export function createMasker(secrets: readonly string[]): Masker {
  const written = new Set(secrets.flatMap((secret) => [secret, escapeJson(secret)]))
  const longestFirst = [...written].sort((a, b) => b.length - a.length)
  return (text) =>
    maskUrls(
      longestFirst.reduce((left, secret) => left.replaceAll(secret, maskSecret(secret)), text),
    )
}

/**
 * Returns a copy of a record with every text masked. Masking precedes the conversion to JSON, which
 * escapes characters of a secret, those in a text that itself is JSON a second time.
 */
export const maskRecord = (record: object, mask: Masker): object =>
  JSON.parse(toJson(record), (_, value) => (typeof value === 'string' ? mask(value) : value))

const escapeJson = (text: string): string => JSON.stringify(text).slice(1, -1)

/** Keeps the last two characters of a long secret, so that an operator can recognise it. */
function maskSecret(secret: string): string {
  return secret.length < 16 ? '****' : `****${secret.slice(-2)}`
}
