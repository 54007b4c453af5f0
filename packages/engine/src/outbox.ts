import type { Head } from '@affine/chain'
import type { Setup } from './setup.ts'

/** The transactions of one epoch. Each is sent once, if at all, without waiting for its block. */
export class Outbox {
  readonly #setup: Pick<Setup, 'emit' | 'on'>
  /** By the name of a transaction: resolves when it is in a block or was refused. */
  readonly #sent = new Map<string, Promise<void>>()

  constructor(setup: Pick<Setup, 'emit' | 'on'>) {
    this.#setup = setup
  }

  /** Was this transaction sent, withheld, or skipped? */
  has(what: string): boolean {
    return this.#sent.has(what)
  }

  /** Notes that a transaction need not be sent. */
  skip(what: string): void {
    this.#sent.set(what, Promise.resolve())
  }

  /** Sends it, or in a dry run reports that it would. After a refusal it can be sent again. */
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
