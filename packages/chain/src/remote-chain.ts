import type { Account } from './account.ts'
import { badLog, type Log, parseLog } from './block.ts'
import { readText } from './body.ts'
import { ChainError, type Head } from './chain.ts'
import type { Call } from './extrinsic.ts'
import { PAGE_BLOCKS, Replica } from './replica.ts'
import { type Guard, hash, integer, parseJson, record, text } from './shape.ts'

type Ask = (body: unknown, signal?: AbortSignal) => Promise<string>

const MAX_BODY = 67_108_864
const TIMEOUT_MS = 60_000

const isHead: Guard<Head> = record<Head>({ number: integer(0), hash })
const isFault = record({ code: text(/^[A-Za-z]{1,64}$/), message: text(/^\P{C}{1,500}$/u) })

/**
 * The chain that `serveLocal` serves at `url`. Fetches its log and replays it here, so a server can be silent or tell
 * another story from the start, but not break the rules or speak for a hotkey. Keys stay here.
 *
 * Whatever the server does ends in a `ChainError`: `BadLog` or `BadReply` for what is no such chain, `Unreachable` when
 * there is no answer. What was sent may then have arrived all the same.
 */
export async function remoteChain(url: string, options: { readonly fetch?: typeof fetch } = {}): Promise<RemoteChain> {
  const ask = asker(url, options.fetch ?? fetch)
  const chain = new RemoteChain(parseLog(await ask({ log: 0 })), ask)
  if (chain.height < 0) throw badLog('no blocks')
  await chain.head()
  return chain
}

export class RemoteChain extends Replica {
  readonly #ask: Ask
  readonly #sending = new Map<string, Promise<unknown>>()

  constructor(log: Log, ask: Ask) {
    super(log)
    this.#ask = ask
  }

  async *heads(signal?: AbortSignal): AsyncGenerator<Head, void, undefined> {
    try {
      await this.#fetch(this.height, signal)
      for (let number = this.height; !signal?.aborted; ) {
        if (number <= this.height) yield this.headAt(number++)
        else await this.#fetch(number, signal)
      }
    } catch (error) {
      if (!signal?.aborted) throw error
    }
  }

  /** One after the other for each account: on the way, they could overtake each other. */
  protected send(account: Account, call: Call, until?: number): Promise<Head> {
    const before = this.#sending.get(account.hotkey) ?? Promise.resolve()
    const sent = before.then(() => this.#submit(account, call, until))
    this.#sending.set(
      account.hotkey,
      sent.catch(() => undefined),
    )
    return sent
  }

  protected async reach(block: number): Promise<void> {
    if (block > this.height) await this.#fetch(this.height) // there is such a block, so no wait
  }

  async #submit(account: Account, call: Call, until?: number): Promise<Head> {
    await this.head()
    const extrinsic = this.sign(account, call, until)
    for (;;) {
      const reply = parseJson(await this.#ask({ submit: extrinsic }))
      if (isHead(reply)) return reply
      if (reply !== null) throw new ChainError('BadReply', 'BadReply: neither a head nor null') // null: it still waits
    }
  }

  /** Follows the log from block `from` on. The server holds its answer until there is such a block. */
  async #fetch(from: number, signal?: AbortSignal): Promise<void> {
    const { height } = this
    const { blocks } = parseLog(await this.#ask({ log: from }, signal))
    this.follow(blocks)
    if (blocks.length === PAGE_BLOCKS && this.height > height) await this.#fetch(this.height, signal)
  }
}

function asker(url: string, fetch: typeof globalThis.fetch): Ask {
  return async (body, signal) => {
    const timeout = AbortSignal.timeout(TIMEOUT_MS)
    const [response, text] = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      redirect: 'error',
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    })
      .then(async (response) => [response, await readText(response.body, MAX_BODY)] as const)
      .catch((cause) => {
        throw new ChainError('Unreachable', `Unreachable: no chain answers at ${url}; is it running?`, { cause })
      })
    if (response.ok) return text
    const fault = parseJson(text)
    if (isFault(fault)) throw new ChainError(fault.code, fault.message)
    throw new ChainError('BadReply', `BadReply: status ${response.status} from ${url}`)
  }
}
