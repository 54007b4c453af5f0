import type { Message, Reply } from '@affine/envs'
import PQueue from 'p-queue'
import pRetry, { type Options } from 'p-retry'
import {
  type Asking,
  AskingProblem,
  type Caller,
  type CallFailure,
  type Endpoint,
  type EpochContext,
  type Exchange,
  type Hear,
  isUndelivered,
  type MinerAgent,
  type Query,
  type Received,
  Stopped,
  Undelivered,
} from './asking.ts'
import { describeStatus, readCompletion } from './completion.ts'

/**
 * Agents for one miner: they have `replyMs` a reply, and give up on everything once `signal`
 * aborts.
 */
export type Client = (replyMs: number, signal: AbortSignal) => MinerAgent

export const NO_REPLY = { fault: 'no-reply' } as const
const NO_URL =
  'on a local network the chute is the http:// URL of an endpoint on this machine, ' +
  'such as http://127.0.0.1:8001/v1'

/**
 * A client for one miner whose chute is the URL of an OpenAI-compatible endpoint, up to and
 * including `/v1`. Its agents share a bound on how many calls are under way, `concurrency` at
 * first; a game's call goes before all others that wait.
 *
 * A request holds the model's name and the conversation, nothing else. What fails for the
 * platform's reasons is asked again until `signal` aborts; a reply is never asked for twice. An
 * agent never rejects: no usable reply is `{ fault: 'no-reply' }`. Protocol §5.4.
 */
export function minerClient(
  miner: Endpoint,
  { exchange, concurrency, now, random, on = () => {} }: Asking,
): Client {
  const throttle = new Throttle(concurrency, now)
  const tell = createReporter(miner, on)
  return (replyMs, signal) => (messages, call) => {
    const { end, isGame } = call ?? { end: signal, isGame: false }
    const query = buildQuery(miner, messages, { replyMs, signal: end, now })
    const ask = async (): Promise<Reply> => {
      const received = await throttle.run(() => exchange(query), isGame ? 1 : 0)
      const reply = readReply(received, query.url)
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
      // What had failed before tells more than a request that was still under way.
      if (last === undefined && error instanceof AskingProblem) note(error)
      tell(isGame && !signal.aborted ? reportClock(last, on) : last)
    }
    const policy = createRetryPolicy(end, random, { failed, isGame })
    return pRetry(ask, policy).catch((error: unknown) => {
      if (end.aborted && !(signal.reason instanceof Stopped)) ended(error)
      return NO_REPLY
    })
  }
}

/** What a miner is told: its model's name, and roles and contents. Protocol §5.4. */
function buildQuery(
  { model, chute }: Endpoint,
  messages: readonly Message[],
  limits: Pick<Query, 'replyMs' | 'signal' | 'now'>,
): Query {
  const told = messages.map(({ role, content }) => ({ role, content }))
  const url = `${chute.replace(/\/$/, '')}/chat/completions`
  return { ...limits, url, body: JSON.stringify({ model, messages: told }) }
}

/**
 * The reply in what came from `url`.
 * @throws Undelivered when the platform says that the miner was not reached; AskingProblem for what is no
 *   chat completion.
 */
function readReply(received: Received, url: string): Reply {
  const { status, ms, invocation } = received
  if (isUndelivered(status))
    throw new Undelivered(describeStatus(received), status === 429 ? '429' : '5xx')
  const content = readCompletion(received, url)
  return { content, ms, ...(invocation !== undefined && { invocation }) }
}

/** The URLs at which miners of a local network are asked. Protocol §5.4. */
const LOOPBACK = /^https?:\/\/(127\.0\.0\.1|\[::1\]|localhost)(:\d+)?(\/|$)/

/**
 * Agents for the miners of a local network: a chute is a URL on this machine. Other miners never
 * reply. Protocol §5.4.
 */
export function endpointAgents(
  asking: Asking,
): (miner: Endpoint, replyMs: number, context: Pick<EpochContext, 'signal'>) => MinerAgent {
  const clients = new Map<string, Client>()
  const exchange: Exchange = async (query) => {
    if (LOOPBACK.test(query.url)) return asking.exchange(query)
    throw new AskingProblem('deployment', NO_URL)
  }
  return ({ model, chute }, replyMs, { signal }) => {
    const key = `${chute} ${model}`
    const client = clients.get(key) ?? minerClient({ model, chute }, { ...asking, exchange })
    clients.set(key, client)
    return client(replyMs, signal)
  }
}

/** What a request failed by. */
function toFailure(error: Error): CallFailure {
  const { message: text } = error
  if (error instanceof AskingProblem)
    return { type: 'call', outcome: 'miner', reason: error.code, status: error.status, text }
  const reason = error instanceof Undelivered ? error.reason : 'undelivered'
  return { type: 'call', outcome: 'platform', reason, text }
}

/** Tells that the clock of a game ran out, and gives the reason: that of the last request. */
function reportClock(last: CallFailure | undefined, on: Hear): CallFailure {
  const why = last === undefined ? '' : `; its last request: ${last.text}`
  const text = `its clock in a game ran out, so it lost that game${why}`
  const failure = { type: 'call', outcome: 'miner', reason: 'clock', text } as const
  on(failure)
  return { ...failure, reason: last?.reason ?? 'clock' }
}

/**
 * Tells people of each reason for which a reply is missing, once. A request that is made again, and
 * then gets a reply, is no problem; another one tells of deployments.
 */
function createReporter(
  { model, chute, hotkey }: Endpoint,
  on: Hear,
): (failure: CallFailure | undefined) => void {
  const task = { kind: 'miner', model, chute, ...(hotkey !== undefined && { hotkey }) } as const
  const told = new Set<string>(['deployment', 'not-shown'])
  return (failure) => {
    if (failure === undefined || told.has(failure.reason)) return
    told.add(failure.reason)
    const error = new AskingProblem(failure.reason, failure.text, failure.status)
    on({ type: 'problem', task, error })
  }
}

/**
 * What is `Undelivered` is tried again until `signal` aborts: after pauses that grow up to half a
 * minute, or a whole; in a game, whose clock runs in the pauses, after one to two seconds. `failed`
 * hears how attempts failed. Protocol §5.4.
 */
export function createRetryPolicy(
  signal: AbortSignal,
  random: Caller['random'],
  { isGame = false, failed }: { isGame?: boolean; failed?: (error: Error) => void } = {},
): Options {
  return {
    retries: Number.POSITIVE_INFINITY,
    minTimeout: isGame ? 1000 : 100,
    factor: isGame ? 1 : 2,
    maxTimeout: 30_000 * (1 + random()),
    randomize: true,
    shouldRetry: ({ error }) => error instanceof Undelivered,
    signal,
    onFailedAttempt: ({ error }) => {
      if (!signal.aborted) failed?.(error)
    },
  }
}

const QUIET_MS = 1000

/**
 * A bound on how many calls are under way: `most`, half as many after a 429, one more after every
 * round of successes.
 */
class Throttle {
  readonly #max: number
  readonly #now: () => number
  readonly #queue: PQueue
  /** How many there may be, with a fraction. */
  #limit: number
  #quietUntilMs = 0

  /** By a clock in milliseconds. */
  constructor(most: number, now: () => number) {
    this.#max = most
    this.#now = now
    this.#limit = most
    this.#queue = new PQueue({ concurrency: most })
  }

  /** Makes a call once there is room for it, and none of a higher priority waits. */
  async run(call: () => Promise<Received>, priority: number): Promise<Received> {
    const received = await this.#queue.add(call, { priority })
    if (received.status === 429) this.#shrink()
    if (received.status === 200) this.#grow()
    return received
  }

  /** Once a second at most: calls that were under way together tell of one overload. */
  #shrink(): void {
    const now = this.#now()
    if (now <= this.#quietUntilMs) return
    this.#quietUntilMs = now + QUIET_MS
    const underWay = Math.min(this.#limit, this.#queue.pending + 1)
    this.#setLimit(Math.max(1, underWay / 2))
  }

  #grow(): void {
    this.#setLimit(Math.min(this.#max, this.#limit + 1 / this.#limit))
  }

  #setLimit(room: number): void {
    this.#limit = room
    this.#queue.concurrency = Math.floor(room)
  }
}
