import type { Message, Reply } from '@affine/envs'
import PQueue from 'p-queue'
import pRetry, { type Options } from 'p-retry'
import {
  type CallFailure,
  type CallOptions,
  DeliveryError,
  type Endpoint,
  type EpochContext,
  type Exchange,
  type HttpResponse,
  isUndelivered,
  type MinerAgent,
  MinerError,
  type MinerListener,
  type Query,
  StopError,
} from './asking.ts'
import { readCompletion, showStatus } from './completion.ts'

/**
 * Returns an agent of one miner. Each reply may take `replyMs` milliseconds. The agent stops when
 * `signal` aborts.
 */
export type Client = (replyMs: number, signal: AbortSignal) => MinerAgent

export const NO_REPLY = { fault: 'no-reply' } as const
const NO_URL =
  'on a local network the chute must be the http:// URL of an endpoint on this machine, ' +
  'such as http://127.0.0.1:8001/v1'

/**
 * Returns a client for a miner whose chute is the URL of an OpenAI-compatible endpoint, up to and
 * including `/v1`. Its agents share a limit of concurrent calls, initially `concurrency`; calls of
 * games precede other waiting calls.
 *
 * Requests that fail because of the platform are repeated until the call ends. An agent never
 * rejects: without a usable reply it returns `{ fault: 'no-reply' }`. Protocol §5.4.
 */
export function minerClient(
  miner: Endpoint,
  { exchange, concurrency, now, on = () => {} }: CallOptions,
): Client {
  const throttle = new Throttle(concurrency, now)
  const tell = createReporter(miner, on)
  return (replyMs, signal) => (messages, call) => {
    const { end, isGame } = call ?? { end: signal, isGame: false }
    const query = buildQuery(miner, messages, { replyMs, signal: end, now })
    const ask = async (): Promise<Reply> => {
      const received = await throttle.run(() => exchange(query), isGame ? 1 : 0)
      const reply = readReply(received)
      on({ type: 'call', outcome: 'reply' })
      return reply
    }
    let last: CallFailure | undefined
    const note = (error: Error): void => {
      last = toFailure(error)
      on(last)
    }
    const failed = (error: Error): void => {
      note(error)
      if (last?.outcome === 'miner') tell(last)
    }
    const ended = (error: unknown): void => {
      // An earlier failure is more specific than a request that was still pending.
      if (last === undefined && error instanceof MinerError) note(error)
      tell(isGame && !signal.aborted ? reportClock(last, on) : last)
    }
    const policy = createRetryPolicy(end, { failed, isGame })
    return pRetry(ask, policy).catch((error: unknown) => {
      if (end.aborted && !(signal.reason instanceof StopError)) ended(error)
      return NO_REPLY
    })
  }
}

function buildQuery(
  { model, chute }: Endpoint,
  messages: readonly Message[],
  limits: Pick<Query, 'replyMs' | 'signal' | 'now'>,
): Query {
  const content = messages.map(({ role, content }) => ({ role, content }))
  const url = `${chute.replace(/\/$/, '')}/chat/completions`
  return { ...limits, url, body: JSON.stringify({ model, messages: content }) }
}

/**
 * Returns the reply in a response.
 * @throws DeliveryError if the platform did not reach the miner; MinerError if the response is
 * not a chat completion.
 */
function readReply(received: HttpResponse): Reply {
  const { status, ms, invocation } = received
  if (status === 429) {
    const advice = 'serve more requests at a time, or stop other callers'
    throw new DeliveryError(`${showStatus(received)}: ${advice}`, '429')
  }
  if (isUndelivered(status)) throw new DeliveryError(showStatus(received), '5xx')
  const content = readCompletion(received)
  return { content, ms, ...(invocation !== undefined && { invocation }) }
}

/** URLs of miners on a local network. Protocol §5.4. */
const LOOPBACK = /^https?:\/\/(127\.0\.0\.1|\[::1\]|localhost)(:\d+)?(\/|$)/

/**
 * Returns agents for the miners of a local network, whose chutes are URLs on this machine. Miners
 * with another chute never reply. Protocol §5.4.
 */
export function endpointAgents(
  asking: CallOptions,
): (miner: Endpoint, replyMs: number, context: Pick<EpochContext, 'signal'>) => MinerAgent {
  const clients = new Map<string, Client>()
  const exchange: Exchange = async (query) => {
    if (LOOPBACK.test(query.url)) return asking.exchange(query)
    throw new MinerError('deployment', NO_URL)
  }
  return ({ model, chute }, replyMs, { signal }) => {
    const key = `${chute} ${model}`
    const client = clients.get(key) ?? minerClient({ model, chute }, { ...asking, exchange })
    clients.set(key, client)
    return client(replyMs, signal)
  }
}

function toFailure(error: Error): CallFailure {
  const { message: text } = error
  if (error instanceof MinerError)
    return { type: 'call', outcome: 'miner', reason: error.code, status: error.status, text }
  const reason = error instanceof DeliveryError ? error.reason : 'undelivered'
  return { type: 'call', outcome: 'platform', reason, text }
}

/**
 * Reports that the clock of a game ran out. Returns this failure, with the reason of the last
 * failed request, if any.
 */
function reportClock(last: CallFailure | undefined, on: MinerListener): CallFailure {
  const why = last === undefined ? '' : `; its last request: ${last.text}`
  const text = `its clock in a game ran out, so it lost that game${why}`
  const failure = { type: 'call', outcome: 'miner', reason: 'clock', text } as const
  on(failure)
  return { ...failure, reason: last?.reason ?? 'clock' }
}

/**
 * Returns a function that reports each reason of missing replies once, except refusals of
 * deployments. On Chutes, `DeploymentChecks` reports these.
 */
function createReporter(
  { model, chute, hotkey }: Endpoint,
  on: MinerListener,
): (failure: CallFailure | undefined) => void {
  const task = { kind: 'miner', model, chute, ...(hotkey !== undefined && { hotkey }) } as const
  const reported = new Set<string>(['deployment', 'not-shown'])
  return (failure) => {
    if (failure === undefined || reported.has(failure.reason)) return
    reported.add(failure.reason)
    const error = new MinerError(failure.reason, failure.text, failure.status)
    on({ type: 'problem', task, error })
  }
}

/**
 * Returns a policy that repeats requests that reject with `DeliveryError`, until `signal` aborts.
 * The pauses grow to between 30 and 60 seconds; in a game, whose clock runs meanwhile, they are one
 * to two seconds. `failed` receives each error. Protocol §5.4.
 */
export function createRetryPolicy(
  signal: AbortSignal,
  { isGame = false, failed }: { isGame?: boolean; failed?: (error: Error) => void } = {},
): Options {
  return {
    retries: Number.POSITIVE_INFINITY,
    minTimeout: isGame ? 1000 : 100,
    factor: isGame ? 1 : 2,
    maxTimeout: 30_000 * (1 + Math.random()),
    randomize: true,
    shouldRetry: ({ error }) => error instanceof DeliveryError,
    signal,
    onFailedAttempt: ({ error }) => {
      if (!signal.aborted) failed?.(error)
    },
  }
}

const QUIET_MS = 1000

/**
 * A limit of concurrent calls, initially `max`. A 429 lowers it to half of the running calls, and
 * each round of successes raises it by one.
 */
class Throttle {
  readonly #max: number
  readonly #now: () => number
  readonly #queue: PQueue
  /** Maximum concurrent calls, with a fraction. */
  #limit: number
  #quietUntilMs = 0

  /** `now` returns milliseconds. */
  constructor(max: number, now: () => number) {
    this.#max = max
    this.#now = now
    this.#limit = max
    this.#queue = new PQueue({ concurrency: max })
  }

  /** Makes a call once the limit allows it and no call of a higher priority waits. */
  async run(call: () => Promise<HttpResponse>, priority: number): Promise<HttpResponse> {
    const received = await this.#queue.add(call, { priority })
    if (received.status === 429) this.#shrink()
    if (received.status === 200) this.#grow()
    return received
  }

  /**
   * Lowers the limit to half of the calls that ran. At most once a second, since concurrent 429s
   * report the same overload.
   */
  #shrink(): void {
    const now = this.#now()
    if (now <= this.#quietUntilMs) return
    this.#quietUntilMs = now + QUIET_MS
    const pending = Math.min(this.#limit, this.#queue.pending + 1)
    this.#setLimit(Math.max(1, pending / 2))
  }

  #grow(): void {
    this.#setLimit(Math.min(this.#max, this.#limit + 1 / this.#limit))
  }

  #setLimit(limit: number): void {
    this.#limit = limit
    this.#queue.concurrency = Math.floor(limit)
  }
}
