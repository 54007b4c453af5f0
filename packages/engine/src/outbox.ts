import type { Head } from '@affine/chain'
import type { Setup } from './setup.ts'

/** The transactions of one epoch. Each is sent once, if at all, without waiting for its block. */
export class Outbox {
  readonly #setup: Pick<Setup, 'emit' | 'on'>
  /** By what is sent: resolves when it has its block or was refused. */
  readonly #sent = new Map<string, Promise<void>>()

  constructor(setup: Pick<Setup, 'emit' | 'on'>) {
    this.#setup = setup
  }

  /** Was it sent, withheld, or found done already? */
  has(what: string): boolean {
    return this.#sent.has(what)
  }

  /** Notes what need not be sent. */
  skip(what: string): void {
    this.#sent.set(what, Promise.resolve())
  }

  /** Sends it, or with nothing to be sent says so. After a refusal it can be sent again. */
  send(what: string, transaction: () => Promise<Head>): void {
    const { emit, on } = this.#setup
    if (this.has(what)) return
    if (emit) {
      this.#sent.set(what, this.#await(what, transaction()))
      return
    }
    on({ type: 'withheld', what })
    this.skip(what)
  }

  /** Forgets all of it: a new epoch has begun. */
  clear(): void {
    this.#sent.clear()
  }

  /** Resolves when everything that was sent has its block or was refused. */
  async settled(): Promise<void> {
    await Promise.all(this.#sent.values())
  }

  async #await(what: string, sent: Promise<Head>): Promise<void> {
    const { on } = this.#setup
    try {
      const { number } = await sent
      on({ type: 'sent', what, block: number })
    } catch (error) {
      this.#sent.delete(what)
      on({ type: 'problem', what, error: error as Error })
    }
  }
}
