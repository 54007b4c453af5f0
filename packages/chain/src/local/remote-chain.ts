import { hex, oneOf, type Shape } from '@affine/prng/shape'
import pRetry from 'p-retry'
import type { Account } from '../account.ts'
import type { Head, OpenAt, Snapshot, UidWeights } from '../chain.ts'
import { ADVICE, ChainError } from '../chain-error.ts'
import { type BlockView, LocalSubnet, MORTALITY, type SentCall } from './local-subnet.ts'
import { type LogCall, signExtrinsic } from './log.ts'
import {
  answerShape,
  basisShape,
  blockViewShape,
  type ChainAnswer,
  type ChainQuestion,
  headsShape,
  JSON_TYPE,
  jsonOf,
  readText,
  snapshotOfText,
  snapshotShape,
  weightsOfAllShape,
} from './questions.ts'

/** In characters, as many as a line of a chain's log may have. */
const MAX_REPLY = 2 ** 22
const TIMEOUT_MS = 60_000

const refusalCode = oneOf(...Object.keys(ADVICE))

interface RemoteOptions {
  readonly fetch: typeof globalThis.fetch
  /** Called with the error when `heads` asks again. */
  readonly onRetry?: ((error: Error) => void) | undefined
}

/** Where a chain is served. */
interface Server extends RemoteOptions {
  readonly url: string
}

/**
 * The chain that `serveLocal` serves at `url`. Its answers are read with every limit, but they are
 * not proved: as a node's, they are as true as the server. Secrets are not sent.
 *
 * Methods reject with a `ChainError`: `WrongGenesis` if another chain is served now, `BadReply` for
 * an answer that is not such a chain's, `Unreachable` if there is no answer. A call that was sent
 * may then have arrived all the same. Only `heads` with a signal asks again, until the signal
 * aborts.
 */
export async function remoteChain(url: string, options: RemoteOptions): Promise<LocalSubnet> {
  const server = { ...options, url }
  return new RemoteChain(server, await ask(server, { heads: -1 }, headsShape))
}

/** Opens a local chain that `serveLocal` serves at the URL `name`. */
export const openServed: OpenAt = async ({ name, fetch, onRetry }) => {
  const chain = await remoteChain(name, { fetch, onRetry })
  return { chain, goesOn: true, close: async () => {} }
}

class RemoteChain extends LocalSubnet {
  readonly genesis: string
  readonly netuid: number
  readonly #server: Server
  #lastSent: Promise<unknown> = Promise.resolve()

  constructor(server: Server, { genesis, netuid }: Omit<ChainAnswer<unknown>, 'value'>) {
    super()
    this.genesis = genesis
    this.netuid = netuid
    this.#server = server
  }

  async headsFrom(from: number, signal?: AbortSignal): Promise<readonly Head[]> {
    const heads = await this.#retried({ heads: from }, headsShape, signal)
    const first = from < 0 ? heads[0]?.number : from
    const isComplete = heads.every(({ number }, i) => number === (first ?? 0) + i)
    if (isComplete && first !== undefined) return heads
    throw badReply(this.#server)
  }

  async block(number: number): Promise<BlockView> {
    checkBlock(number)
    const block = await this.#ask({ block: number }, blockViewShape)
    if (block.head.number !== number) throw badReply(this.#server)
    return block
  }

  async snapshot(block: number): Promise<Snapshot> {
    checkBlock(block)
    const snapshot = await this.#ask({ snapshot: block }, snapshotShape)
    if (snapshot.head.number !== block) throw badReply(this.#server)
    return snapshotOfText(snapshot)
  }

  async weights(block: number): Promise<Readonly<Record<string, UidWeights>>> {
    checkBlock(block)
    return this.#ask({ weights: block }, weightsOfAllShape)
  }

  /** Sends one call at a time: on their way, calls could overtake each other. */
  protected send(account: Account, call: LogCall, until?: number): Promise<SentCall> {
    const sending = this.#lastSent.then(async () => {
      const { height, nonce } = await this.#ask({ basis: account.hotkey }, basisShape)
      const draft = { nonce, until: until ?? height + MORTALITY, call }
      const sent = signExtrinsic(account, this, draft)
      await this.#ask({ submit: sent }, hex(64))
      return { sent, from: height + 1 }
    })
    this.#lastSent = sending.catch(() => undefined)
    return sending
  }

  async #ask<T>(question: ChainQuestion, shape: Shape<T>, signal?: AbortSignal): Promise<T> {
    const { genesis, netuid, value } = await ask(this.#server, question, shape, signal)
    if (genesis === this.genesis && netuid === this.netuid) return value
    const detail = `${this.#server.url} has the chain ${genesis}, expected ${this.genesis}`
    throw new ChainError('WrongGenesis', detail)
  }

  /** With a signal, a server that is away is asked again, until the signal aborts. */
  #retried<T>(question: ChainQuestion, shape: Shape<T>, signal?: AbortSignal): Promise<T> {
    if (signal === undefined) return this.#ask(question, shape)
    return pRetry(() => this.#ask(question, shape, signal), {
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

/** @throws ChainError for what is not the number of a block. */
function checkBlock(number: number): void {
  if (!Number.isSafeInteger(number) || number < 0) throw new ChainError('UnknownBlock')
}

const badReply = ({ url }: Server): ChainError =>
  new ChainError('BadReply', `${url} does not answer as a chain does`)

/** The server's answer. @throws ChainError with the code of a refusal. */
async function ask<T>(
  server: Server,
  question: ChainQuestion,
  shape: Shape<T>,
  signal?: AbortSignal,
): Promise<ChainAnswer<T>> {
  const { ok, text } = await exchange(server, JSON.stringify(question), signal)
  const said = jsonOf(text)
  if (ok && answerShape(shape)(said) === undefined) return said as ChainAnswer<T>
  const { code } = Object(said)
  if (!ok && refusalCode(code) === undefined) throw new ChainError(code)
  throw badReply(server)
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
