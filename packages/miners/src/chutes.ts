import {
  type AgentOf,
  type Asking,
  AskingProblem,
  type Exchange,
  type MinerAgent,
  Undelivered,
} from './asking.ts'
import { ChutesKey } from './chutes-key.ts'
import type { Asked } from './deployment/deployment.ts'
import { DeploymentLooks, refusalError, UUID } from './deployment/looks.ts'
import { templatesOf } from './deployment/templates.ts'
import { type Client, minerClient } from './miner-client.ts'

interface Options extends Asking {
  readonly apiKey: string
  /**
   * The subnet whose chutes are called, by the account's role for it; left out by anyone who calls
   * a chute of their own.
   */
  readonly netuid?: number | undefined
  /** For tests: pauses are short. */
  readonly pauseMs?: number
}

/** The agents of miners on Chutes. */
export interface Chutes {
  readonly agents: AgentOf
  /**
   * May a miner be asked in the epoch of this signal? Resolves once what it runs has been looked
   * at, or the epoch is over. Of one whose model is not shown, with false: it may be later.
   */
  readonly mayAsk: (miner: Asked, signal: AbortSignal) => Promise<boolean>
  /** Was what a miner runs changed since it was first asked in the epoch of this signal? */
  readonly hasChanged: (miner: Asked, signal: AbortSignal) => Promise<boolean>
}

/**
 * Agents for miners on Chutes. In every epoch, that is for every signal, a miner's chute is looked
 * at before it is asked, and so are its model's files: it must be the plain use of a template with
 * what was committed, and write its prompts by a chat template of the list, else the miner does not
 * reply. Every reply has the id of its invocation.
 *
 * While the account is not in order nobody is asked: it is looked at every `pauseMs`, with an event
 * each time. An agent rejects where it would have no reply at the end of an epoch with such a
 * pause, or of a clock that ran in one: that may not be the miner's doing. Protocol §5.4.
 * @throws RangeError for what cannot be a key, which is not quoted; from `agents` for a list of
 *   templates that this release does not have.
 */
export function openChutes(options: Options): Chutes {
  const { apiKey, netuid, pauseMs = 60_000, ...asking } = options
  const key = new ChutesKey({ ...asking, apiKey, netuid, pauseMs })
  const looks = new DeploymentLooks({ ...asking, key, pauseMs })
  const epochs = new WeakMap<AbortSignal, Map<string, Client>>()

  /** Asks a miner's chute, which is looked at before the first time. Protocol §5.4. */
  const exchangeWith =
    (miner: Asked, signal: AbortSignal): Exchange =>
    async (query) => {
      const look = await looks.first(miner, signal)
      if (!look.ok) throw refusalError(look)
      const url = `https://${look.value.slug}.chutes.ai/v1/chat/completions`
      const received = await key.ask({ ...query, url }, signal)
      if (received.status !== 200) return received
      const invocation = String(received.headers['x-chutes-invocationid'])
      if (!UUID.test(invocation)) throw new Undelivered('no id of an invocation')
      return { ...received, invocation }
    }

  const clientOf = (miner: Asked, signal: AbortSignal): Client => {
    const clients = epochs.get(signal) ?? new Map<string, Client>()
    epochs.set(signal, clients)
    const exchange = exchangeWith(miner, signal)
    const client = clients.get(miner.hotkey) ?? minerClient(miner, { ...asking, exchange })
    clients.set(miner.hotkey, client)
    return client
  }

  const agents: AgentOf = (miner, replyMs, signal): MinerAgent => {
    templatesOf(miner.templates)
    const ask = clientOf(miner, signal)(replyMs, signal)
    return async (messages, until) => {
      const answer = await ask(messages, until)
      const ended = signal.aborted ? signal : until
      if ('content' in answer || !ended?.aborted) return answer
      if (!(await key.wasRefused(ended))) return answer
      throw new AskingProblem('key-refused', 'Chutes refused the API key: its lane is not sealed')
    }
  }
  return {
    agents,
    mayAsk: async (miner, signal) => {
      const look = await looks.first(miner, signal).catch(() => undefined)
      return look?.ok === true
    },
    hasChanged: (miner, signal) => looks.hasChanged(miner, signal),
  }
}
