/** Takes out of a text what nobody may see. */
export type Hide = (text: string) => string

/** The URL of a node may hold a key, as its user or behind its host. */
const NODE_KEY = /(?<=:\/\/)[^/?,@]{3,}(?=@)|(?<=:\/\/[^/?,]*[/?])[^,]{8,}/g

/** What is secret in the URLs of nodes. */
export function nodeKeys(urls: string): readonly string[] {
  return urls.match(NODE_KEY) ?? []
}

/** Masks these secrets in texts. The longest first: one may be a part of another. */
export function hiding(secrets: readonly string[]): Hide {
  const longestFirst = [...secrets].sort((a, b) => b.length - a.length)
  return (text) =>
    longestFirst.reduce((left, secret) => left.replaceAll(secret, maskOf(secret)), text)
}

/** The last two letters of a long one tell an operator which it is. */
function maskOf(secret: string): string {
  return secret.length < 16 ? '****' : `****${secret.slice(-2)}`
}
