import { verifyReady } from '../account.ts'
import type { ChainOpening } from '../chain.ts'
import { ADVICE, ChainError } from '../chain-error.ts'
import { createRetryPolicy } from '../retries.ts'
import { LocalChain } from './local-chain.ts'
import { type ChainRequest, JSON_TYPE, MAX_BLOCKS, parseJson, readText } from './local-server.ts'
import { type Extrinsic, type Log, readLog } from './log.ts'

/** Maximum length of an answer, of at most 256 blocks, in characters. */
const MAX_REPLY = 268_435_456
const TIMEOUT_MS = 60_000

/** `fetch`, and `onRetry`, which is called before `heads` retries. */
type RemoteOptions = Pick<ChainOpening, 'fetch' | 'onRetry'>

type Server = RemoteOptions & { readonly url: string }

/**
 * Opens the chain that `serveLocal` serves at `url`. Fetches the log and checks it by the rules.
 * Secrets are not sent.
 *
 * Methods reject with the errors of a local chain, with `BadLog` or `BadReply` if the answer is not
 * that of a local chain, and with `Unreachable` if there is no answer. `commit`, `setWeights` or
 * `register` may take effect even if it rejects. Only `heads` with a signal retries, until the
 * signal aborts.
 */
export async function remoteChain(url: string, options: RemoteOptions): Promise<LocalChain> {
  await verifyReady()
  const server = { ...options, url }
  const chain = new RemoteChain(server, await fetchLog(server, 0))
  await chain.head()
  return chain
}

class RemoteChain extends LocalChain {
  readonly #server: Server
  #lastSent: Promise<unknown> = Promise.resolve()

  constructor(server: Server, log: Log) {
    super(log.setup)
    this.#server = server
    this.follow(log, 0)
  }

  /** Sends one call at a time, since concurrent requests could arrive in another order. */
  protected override send(sign: () => Extrinsic): Promise<Extrinsic> {
    const sending = this.#lastSent.then(async () => {
      await this.head()
      const submit = sign()
      await ask(this.#server, { submit })
      return submit
    })
    this.#lastSent = sending.catch(() => undefined)
    return sending
  }

  /** Requests the log from `block` on. The server answers when that block exists. */
  protected override async reach(block: number, signal?: AbortSignal): Promise<void> {
    const log = await this.#log(block, signal)
    this.follow(log, block)
    if (log.blocks.length === MAX_BLOCKS) await this.reach(this.height, signal)
  }

  async #log(from: number, signal?: AbortSignal): Promise<Log> {
    if (signal === undefined) return fetchLog(this.#server, from)
    // `p-retry` is loaded on demand, because only `heads` with a signal retries.
    const { default: pRetry } = await import('p-retry')
    const policy = createRetryPolicy(signal, this.#server.onRetry)
    return pRetry(() => fetchLog(this.#server, from, signal), policy)
  }
}

async function fetchLog(server: Server, from: number, signal?: AbortSignal): Promise<Log> {
  return readLog(await ask(server, { log: from }, signal))
}

async function ask(
  { url, fetch }: Server,
  request: ChainRequest,
  signal?: AbortSignal,
): Promise<string> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS)
  // Without a listener, the garbage collector of Node 20 may remove the timeout before it aborts.
  timeout.onabort = () => {}
  const exchange = async () => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': JSON_TYPE },
      body: JSON.stringify(request),
      redirect: 'error',
      signal: AbortSignal.any(signal ? [timeout, signal] : [timeout]),
    })
    return { ok: response.ok, text: await readText(response.body, MAX_REPLY) }
  }
  const { ok, text } = await exchange().catch((cause) => {
    throw new ChainError('Unreachable', `no chain answers at ${url}; is it running?`, { cause })
  })
  if (ok) return text
  const { code } = Object(parseJson(text))
  if (typeof code === 'string' && Object.hasOwn(ADVICE, code)) throw new ChainError(code)
  throw new ChainError('BadReply', `${url} does not serve a chain`)
}
