import type { Snapshot } from '@affine/chain'
import { commitmentsOf } from './snapshot.ts'

/** An address, and the block in which its hotkey first announced it. */
interface Announced {
  readonly hotkey: string
  readonly address: string
  readonly block: number
}

/**
 * Whose the announced buckets are, from epoch to epoch. Two voters at one address are one bucket:
 * it belongs to the one that the address names, else to the one that has announced it the longest,
 * as far as epochs were looked at. Protocol §5.2.
 */
export class Owners {
  #announced: ReadonlyMap<string, Announced> = new Map()

  /**
   * Looks at what stands on chain as an epoch ends. At every hotkey's, since a voter has announced
   * its bucket before it has a vote.
   */
  look(ended: Snapshot): void {
    const announced = new Map<string, Announced>()
    for (const [hotkey, said] of commitmentsOf(ended)) {
      if (said.kind === 'miner') continue
      const address = addressOf(said.url)
      const before = this.#announced.get(hotkey)
      const isKept = before?.address === address
      announced.set(hotkey, isKept ? before : { hotkey, address, block: said.block })
    }
    this.#announced = announced
  }

  /** Of these voters, those whose bucket is another's, as of the epoch looked at last. */
  borrowers(voters: readonly string[]): ReadonlySet<string> {
    const inOrder = voters
      .flatMap((hotkey) => this.#announced.get(hotkey) ?? [])
      .sort((a, b) => rankOf(a) - rankOf(b))
    const owners = new Map<string, string>()
    for (const { hotkey, address } of inOrder) {
      if (!owners.has(address)) owners.set(address, hotkey)
    }
    const borrowed = inOrder.filter(({ hotkey, address }) => owners.get(address) !== hotkey)
    return new Set(borrowed.map(({ hotkey }) => hotkey))
  }
}

/** Who is named by its address comes before who is early. */
const rankOf = ({ hotkey, address, block }: Announced): number => (hotkey === address ? -1 : block)

/** One text for the ways to write an address. */
function addressOf(url: string): string {
  if (!URL.canParse(url)) return url.replace(/\/+$/, '')
  const { protocol, hostname, port, pathname } = new URL(url)
  const path = pathname.replace(/\/+/g, '/').replace(/\/$/, '')
  return `${protocol}//${hostname.replace(/\.$/, '')}:${port}${path}`
}
