import { setTimeout as sleep } from 'node:timers/promises'
import type { Miner } from '@affine/duel'
import pRetry from 'p-retry'
import {
  type Client,
  exchange,
  minerClient,
  patience,
  type Query,
  type Received,
  Undelivered,
} from './miner-client.ts'
import type { Setup } from './setup.ts'

const API = 'https://api.chutes.ai'
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const DNS_LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

/** For tests: with these, a key goes elsewhere than to Chutes over https, and pauses are short. */
type Place = Readonly<{ api?: string; hostOf?: (slug: string) => string; pauseMs?: number }>
type Options = Pick<Setup, 'now' | 'on'> & Readonly<{ apiKey: string; concurrency: number }> & Place

/**
 * Agents for miners on Chutes. In every epoch, that is for every signal, a miner's chute is looked
 * up before it is asked: its name must be the committed model and its revision the committed one,
 * else the miner does not reply. Every reply has the id of its invocation.
 *
 * While Chutes refuses the key nobody is asked: the account is looked at every `pauseMs`, with an
 * event each time. An agent rejects where it would have no reply at the end of an epoch with such a
 * pause: that may not be the miner's doing.
 * @throws RangeError for what cannot be a key, which is not quoted.
 */
export function chutesAgents({
  apiKey,
  concurrency,
  now,
  on,
  pauseMs = 60_000,
  ...place
}: Options): Setup['agent'] {
  if (!/^[!-~]+$/.test(apiKey))
    throw new RangeError('"apiKey" expected printable ASCII without spaces')
  const { api = API, hostOf = (slug) => `https://${slug}.chutes.ai` } = place
  const epochs = new WeakMap<AbortSignal, Map<string, Client>>()
  const paused = new WeakSet<AbortSignal>()
  let checking: Promise<void> | undefined

  const ask = async (query: Query): Promise<Received> => {
    await checking
    const received = await exchange({ ...query, headers: bearer(apiKey) })
    if (![401, 402, 403].includes(received.status)) return received
    const forget = (): void => void setTimeout(() => (checking = undefined), pauseMs / 10)
    checking ??= check(received.status === 402, query.signal).then(forget, forget)
    await checking
    throw new Undelivered('refused')
  }

  /**
   * Resolves once the account has money. Where it had all the time, a 402 is about one chute, whose
   * owner cannot pay: a miner can bring that about, and must not stop the sampling of others by it.
   */
  const check = async (payment: boolean, signal: AbortSignal): Promise<void> => {
    for (let excused = payment; ; excused = true) {
      const account = chutesAccount(apiKey, AbortSignal.timeout(30_000), api) // at the end of the epoch it still matters
      const { status, balance } = await account.catch(() => ({ status: 0, balance: 0 }))
      if (excused && balance > 0) return
      const error = new Error(
        `refuses the API key (account: status ${status}, balance ${balance}): sampling pauses`,
      )
      on({ type: 'problem', what: 'Chutes', error })
      paused.add(signal)
      await sleep(pauseMs, undefined, { signal })
    }
  }

  /**
   * Where a miner is asked; null when its chute is not the committed one. Whatever else fails is
   * tried again.
   */
  const locate = async (
    { hotkey, model, revision, chute }: Miner,
    signal: AbortSignal,
  ): Promise<string | null> => {
    const query = { url: `${api}/chutes/${chute}`, replyMs: 30_000, signal, now }
    const { status, text } = UUID.test(chute) ? await ask(query) : { status: 404, text: '' }
    if (status !== 200 && status !== 404) throw new Undelivered(`status ${status}`)
    const { name, revision: at, slug } = status === 200 ? Object(JSON.parse(text)) : {}
    if (name === model && at === revision && DNS_LABEL.test(slug ?? ''))
      return `${hostOf(slug)}/v1/chat/completions`
    const error = new Error(
      `is not asked: its chute has ${JSON.stringify({ name, revision: at, slug })}`,
    )
    on({ type: 'problem', what: `miner ${hotkey}`, error })
    return null
  }

  const open = (miner: Miner, signal: AbortSignal): Client => {
    let place: Promise<string | null> | undefined
    const send = async (query: Query): Promise<Received> => {
      place ??= pRetry(() => locate(miner, signal), {
        ...patience(signal),
        shouldRetry: () => true,
      })
      const url = await place
      if (url === null) throw new Error('not the committed chute')
      const received = await ask({ ...query, url })
      const invocation = String(received.headers['x-chutes-invocationid'])
      if (received.status !== 200) return received
      if (!UUID.test(invocation)) throw new Undelivered('no id of an invocation')
      return { ...received, invocation }
    }
    return minerClient({ ...miner, send, on }, concurrency, now)
  }

  return (miner, replyMs, signal) => {
    const clients = epochs.get(signal) ?? new Map<string, Client>()
    const client = clients.get(miner.hotkey) ?? open(miner, signal)
    epochs.set(signal, clients.set(miner.hotkey, client))
    return async (messages) => {
      const answer = await client(replyMs, signal)(messages)
      if ('content' in answer || !signal.aborted) return answer
      await checking
      if (!paused.has(signal)) return answer
      throw new Error('Chutes refused the API key in this epoch: its lane is not sealed')
    }
  }
}

const bearer = (apiKey: string) => ({ authorization: `Bearer ${apiKey}` })

/**
 * The account behind a key, in one cheap call: status 200 when the key may read it, and the
 * balance, in dollars, NaN when there is none to read. Rejects when Chutes cannot be reached.
 */
export async function chutesAccount(
  apiKey: string,
  signal: AbortSignal,
  api: string = API,
): Promise<Account> {
  const query = {
    url: `${api}/users/me`,
    headers: bearer(apiKey),
    replyMs: 30_000,
    signal,
    now: Date.now,
  }
  const { status, text } = await exchange(query)
  return { status, balance: status === 200 ? Number(Object(JSON.parse(text)).balance) : Number.NaN }
}
type Account = { readonly status: number; readonly balance: number }
