import pRetry from 'p-retry'
import { verifyReady } from '../account.ts'
import type { ChainOpening, OpenAt } from '../chain.ts'
import { ADVICE, ChainError } from '../chain-error.ts'
import { LocalChain } from './local-chain.ts'
import { type ChainQuestion, JSON_TYPE, jsonOf, MOST_BLOCKS, readText } from './local-server.ts'
import { type Extrinsic, type Log, readLog } from './log.ts'

/** In characters: an answer has at most 256 blocks. */
const MAX_REPLY = 268_435_456
const TIMEOUT_MS = 60_000

/** `onRetry` is called when `heads` asks again. */
type RemoteOptions = Pick<ChainOpening, 'fetch' | 'onRetry'>

/** Where a chain is served. */
interface Server extends RemoteOptions {
  readonly url: string
}

/**
 * The chain that `serveLocal` serves at `url`. Its log is fetched and followed here. A server can
 * be silent, or serve another log from the start, but it cannot break the rules or sign for a
 * hotkey. Secrets are not sent.
 *
 * Methods reject with a `ChainError`: `BadLog` or `BadReply` for an answer that is not such a
 * chain's, `Unreachable` if there is no answer. A call that was sent may then have arrived all the
 * same. Only `heads` with a signal asks again, until the signal aborts.
 */
export async function remoteChain(url: string, options: RemoteOptions): Promise<LocalChain> {
  const server = { ...options, url }
  const chain = new RemoteChain(server, await fetchLog(server, 0))
  await chain.head()
  return chain
}

/** Opens a local chain that `serveLocal` serves at the URL `name`. */
export const openServed: OpenAt = async ({ name, fetch, onRetry }) => {
  await verifyReady()
  return remoteChain(name, { fetch, onRetry })
}

class RemoteChain extends LocalChain {
  readonly #server: Server
  #lastSent: Promise<unknown> = Promise.resolve()

  constructor(server: Server, log: Log) {
    super(log.setup)
    this.#server = server
    this.#follow(log, 0)
  }

  /** Sends one call at a time: on their way, calls could overtake each other. */
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

  /** The server delays its answer until there is such a block. */
  protected override async reach(block: number, signal?: AbortSignal): Promise<void> {
    let from = block
    let isFull = true
    while (isFull) {
      const log = await this.#log(from, signal)
      this.#follow(log, from)
      isFull = log.blocks.length === MOST_BLOCKS
      from = this.height
    }
  }

  #follow(log: Log, from: number): void {
    if (log.blocks.length === 0 && from <= Math.max(0, this.height))
      throw new ChainError('BadLog', `the log lacks block ${from}`)
    this.follow(log, from)
  }

  #log(from: number, signal?: AbortSignal): Promise<Log> {
    if (signal === undefined) return fetchLog(this.#server, from)
    return pRetry(() => fetchLog(this.#server, from, signal), {
      retries: Number.POSITIVE_INFINITY,
      signal,
      minTimeout: 200,
      maxTimeout: 15_000,
      randomize: true,
      shouldRetry: ({ error }) => isPassing(error),
      onFailedAttempt: ({ error }) => {
        if (isPassing(error) && !signal.aborted) this.#server.onRetry?.(error)
      },
    })
  }
}

/** Is the server away, or does a proxy answer in its place? */
const isPassing = (error: Error): boolean =>
  error instanceof ChainError && ['Unreachable', 'BadReply'].includes(error.code)

async function fetchLog(server: Server, from: number, signal?: AbortSignal): Promise<Log> {
  return readLog(await ask(server, { log: from }, signal))
}

/** The server's answer. @throws ChainError with the code of a refusal. */
async function ask(server: Server, question: ChainQuestion, signal?: AbortSignal): Promise<string> {
  const { ok, text } = await exchange(server, JSON.stringify(question), signal)
  if (ok) return text
  const { code } = Object(jsonOf(text))
  if (typeof code === 'string' && Object.hasOwn(ADVICE, code)) throw new ChainError(code)
  throw new ChainError('BadReply', `${server.url} does not answer as a chain does`)
}

async function exchange(
  { url, fetch }: Server,
  body: string,
  signal?: AbortSignal,
): Promise<{ ok: boolean; text: string }> {
  const late = AbortSignal.timeout(TIMEOUT_MS)
  // Node 20 forgets a timeout that nothing listens to, once it collects garbage.
  late.onabort = () => {}
  const signals = signal ? [late, signal] : [late]
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': JSON_TYPE },
      body,
      redirect: 'error',
      signal: AbortSignal.any(signals),
    })
    return { ok: response.ok, text: await readText(response.body, MAX_REPLY) }
  } catch (cause) {
    throw new ChainError('Unreachable', `no chain answers at ${url}; is it running?`, { cause })
  }
}
