import type { Holder } from './holders.ts'

/**
 * Whose the announced buckets are, from epoch to epoch. Two voters at one address are one bucket:
 * it belongs to the one that the address names, else to the one that has announced it the longest,
 * as far as epochs were looked at. Protocol §5.2.
 */
export class Owners {
  #owners: ReadonlyMap<string, string> = new Map()

  /** Looks at an epoch's announcements: the hotkeys of those whose bucket is another's. */
  borrowers(holders: readonly Holder[]): ReadonlySet<string> {
    const earliest = [...holders].sort((a, b) => a.block - b.block)
    const owners = new Map<string, string>()
    for (const { hotkey, url } of earliest) {
      const address = addressOf(url)
      const here = earliest.filter((other) => addressOf(other.url) === address)
      const before = this.#owners.get(address)
      const owner =
        here.find((other) => other.hotkey === address) ??
        here.find((other) => other.hotkey === before)
      if (!owners.has(address)) owners.set(address, owner?.hotkey ?? hotkey)
    }
    this.#owners = owners
    const borrowed = holders.filter(({ hotkey, url }) => owners.get(addressOf(url)) !== hotkey)
    return new Set(borrowed.map(({ hotkey }) => hotkey))
  }
}

/** One text for the ways to write an address. */
function addressOf(url: string): string {
  const text = URL.canParse(url) ? new URL(url).href : url
  return text.replace(/\/+$/, '')
}
