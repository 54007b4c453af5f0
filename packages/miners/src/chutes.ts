import type { Miner } from '@affine/duel'
import pRetry from 'p-retry'
import type { AgentOf, Asking } from './asking.ts'
import { type Directory, locateChute, UUID } from './chute.ts'
import { CHUTES_API, ChutesKey } from './chutes-key.ts'
import { type Client, minerClient } from './miner-client.ts'
import { NoReply } from './no-reply.ts'
import { type Exchange, Undelivered } from './query.ts'
import { retryPolicy } from './retry-policy.ts'

interface Options extends Asking {
  readonly apiKey: string
  /** For tests: a key goes elsewhere than to Chutes over https. */
  readonly api?: string
  readonly hostOf?: (slug: string) => string
  /** For tests: pauses are short. */
  readonly pauseMs?: number
}

/**
 * Agents for miners on Chutes. In every epoch, that is for every signal, a miner's chute is looked
 * up before it is asked: its name must be the committed model and its revision the committed one,
 * else the miner does not reply. Every reply has the id of its invocation.
 *
 * While the account is not in order nobody is asked: it is looked at every `pauseMs`, with an event
 * each time. An agent rejects where it would have no reply at the end of an epoch with such a
 * pause: that may not be the miner's doing. Protocol §5.4.
 * @throws RangeError for what cannot be a key, which is not quoted.
 */
export function chutesAgents(options: Options): AgentOf {
  const { apiKey, pauseMs = 60_000, ...asking } = options
  const { api = CHUTES_API, hostOf = (slug) => `https://${slug}.chutes.ai` } = options
  const key = new ChutesKey({ ...asking, apiKey, api, pauseMs })
  const epochs = new WeakMap<AbortSignal, Map<string, Client>>()

  const clientOf = (miner: Miner, signal: AbortSignal): Client => {
    const clients = epochs.get(signal) ?? new Map<string, Client>()
    epochs.set(signal, clients)
    const known = clients.get(miner.hotkey)
    if (known !== undefined) return known
    const exchange = exchangeWith(miner, signal, { ...asking, key, api, hostOf })
    const client = minerClient(miner, { ...asking, exchange })
    clients.set(miner.hotkey, client)
    return client
  }

  return (miner, replyMs, signal) => {
    const ask = clientOf(miner, signal)(replyMs, signal)
    return async (messages) => {
      const answer = await ask(messages)
      if ('content' in answer || !signal.aborted) return answer
      if (!(await key.wasRefused(signal))) return answer
      throw new Error('Chutes refused the API key in this epoch: its lane is not sealed')
    }
  }
}

/** Asks a miner's chute, which is looked up before the first time. Protocol §5.4. */
function exchangeWith(miner: Miner, signal: AbortSignal, directory: Directory): Exchange {
  let place: Promise<string | null> | undefined
  const locate = () => locateChute(miner, signal, directory)
  return async (query) => {
    // Whatever fails then is tried again.
    place ??= pRetry(locate, {
      ...retryPolicy({ signal, random: directory.random }),
      shouldRetry: () => true,
    })
    const url = await place
    if (url === null) throw new NoReply('not-committed', 'the chute is not the committed one')
    const received = await directory.key.ask({ ...query, url })
    if (received.status !== 200) return received
    const invocation = String(received.headers['x-chutes-invocationid'])
    if (!UUID.test(invocation)) throw new Undelivered('no id of an invocation')
    return { ...received, invocation }
  }
}
