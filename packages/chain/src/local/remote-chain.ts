import pRetry from 'p-retry'
import * as z from 'zod'
import { ADVICE, ChainError } from '../chain-error.ts'
import { JSON_TYPE, readText } from './body.ts'
import { type Extrinsic, type Log, logShape, read } from './log.ts'
import { Replica } from './replica.ts'

const MAX_REPLY = 268_435_456
const TIMEOUT_MS = 60_000

const refusalShape = z.object({ code: z.enum(Object.keys(ADVICE)) })

interface RemoteOptions {
  readonly fetch: typeof globalThis.fetch
  /** Hears what was wrong when `heads` asks again. */
  readonly onRetry?: ((error: Error) => void) | undefined
}

/** Where a chain is served. */
interface Server extends RemoteOptions {
  readonly url: string
}

/**
 * The chain that `serveLocal` serves at `url`. Fetches its log and replays it here, so a server can
 * be silent or tell another story from the start, but not break the rules or speak for a hotkey.
 * Keys stay here.
 *
 * Whatever the server does ends in a `ChainError`: `BadLog` or `BadReply` for what is no such
 * chain, `Unreachable` when there is no answer. What was sent may then have arrived all the same.
 * Only `heads` with a signal asks again, until that aborts.
 */
export async function remoteChain(url: string, options: RemoteOptions): Promise<Replica> {
  const server = { ...options, url }
  const chain = new RemoteChain(server, await fetchLog(server, 0))
  await chain.head()
  return chain
}

class RemoteChain extends Replica {
  readonly #server: Server
  #lastSent: Promise<unknown> = Promise.resolve()

  constructor(server: Server, log: Log) {
    super(log)
    this.#server = server
  }

  /** One after the other: on the way, calls could overtake each other. */
  protected send(sign: () => Extrinsic): Promise<Extrinsic> {
    const sending = this.#lastSent.then(async () => {
      await this.head()
      const submit = sign()
      await ask(this.#server, { submit })
      return submit
    })
    this.#lastSent = sending.catch(() => undefined)
    return sending
  }

  /** The server holds its answer until there is such a block. */
  protected async reach(block: number, signal?: AbortSignal): Promise<void> {
    const { blocks } = await this.#log(block, signal)
    if (blocks.length === 0 && block <= this.height)
      throw new ChainError('BadLog', `without block ${block}`)
    this.history.follow(blocks, block)
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

/** Is nobody there, or something between that answers in place of the server? */
const isPassing = (error: Error): boolean =>
  error instanceof ChainError && ['Unreachable', 'BadReply'].includes(error.code)

async function fetchLog(server: Server, from: number, signal?: AbortSignal): Promise<Log> {
  return read(logShape, await ask(server, { log: from }, signal), 'BadLog')
}

/** What the server answers; what it refuses is thrown. */
async function ask(server: Server, question: unknown, signal?: AbortSignal): Promise<string> {
  const { ok, text } = await exchange(server, JSON.stringify(question), signal)
  if (ok) return text
  throw new ChainError(read(refusalShape, text, 'BadReply').code)
}

async function exchange(
  server: Server,
  body: string,
  signal?: AbortSignal,
): Promise<{ ok: boolean; text: string }> {
  const { url, fetch } = server
  const signals = [AbortSignal.timeout(TIMEOUT_MS)]
  if (signal) signals.push(signal)
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': JSON_TYPE, 'accept-encoding': 'identity' },
      body,
      redirect: 'error',
      signal: AbortSignal.any(signals),
    })
    await refuseEncoded(response)
    return { ok: response.ok, text: await readText(response.body, MAX_REPLY) }
  } catch (cause) {
    throw new ChainError('Unreachable', `no chain answers at ${url}; is it running?`, { cause })
  }
}

/** Compressed, a reply could cost its server a thousandth of what it costs here. */
async function refuseEncoded({ headers, body }: Response): Promise<void> {
  const encoding = headers.get('content-encoding') ?? 'identity'
  if (encoding === 'identity') return
  await body?.cancel()
  throw new Error('the reply is compressed')
}
