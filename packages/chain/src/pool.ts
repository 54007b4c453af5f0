import { type ChainError, type Head, type Refusal, refusal } from './chain.ts'
import { type Entry, type Extrinsic, hashOf, inOrder } from './extrinsic.ts'

interface Waiting {
  readonly entry: Entry
  readonly resolve: (head: Head) => void
  readonly reject: (error: ChainError) => void
}

const MAX_WAITING = 1024

/** What waits for the next block. Remembers what became of every extrinsic, so that sending one again is harmless. */
export class Pool {
  #waiting: Waiting[] = []
  readonly #results = new Map<string, Promise<Head>>()

  result(extrinsic: Extrinsic): Promise<Head> | undefined {
    return this.#results.get(hashOf(extrinsic))
  }

  /** Resolves with the block that carried it out; rejects with the refusal. */
  add(entry: Entry): Promise<Head> {
    if (this.#waiting.length >= MAX_WAITING) throw refusal('ExhaustsResources')
    const result = new Promise<Head>((resolve, reject) => this.#waiting.push({ entry, resolve, reject }))
    if (!('sudo' in entry)) this.#results.set(hashOf(entry), result)
    return result
  }

  /** The lowest nonce above those of `hotkey` that wait; 0 when none does. */
  nonce(hotkey: string): number {
    const nonces = this.#waiting.map(({ entry }) => ('nonce' in entry && entry.hotkey === hotkey ? entry.nonce + 1 : 0))
    return Math.max(0, ...nonces)
  }

  /** Empties the pool into a block. */
  take(): { readonly entries: readonly Entry[]; settle(head: Head, refusals: readonly (Refusal | '')[]): void } {
    const taken = this.#waiting.sort((a, b) => inOrder(a.entry, b.entry))
    this.#waiting = []
    const settle = (head: Head, refusals: readonly (Refusal | '')[]) => {
      for (const [i, { resolve, reject }] of taken.entries()) {
        const refused = refusals[i]
        if (refused) reject(refusal(refused))
        else resolve(head)
      }
    }
    return { entries: taken.map(({ entry }) => entry), settle }
  }
}
