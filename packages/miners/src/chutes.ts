import {
  type AgentOf,
  type Asking,
  AskingProblem,
  type EpochContext,
  type Exchange,
  type MinerAgent,
  Undelivered,
} from './asking.ts'
import { ChutesKey } from './chutes-key.ts'
import type { Asked } from './deployment/deployment.ts'
import { createRefusalError, DeploymentChecks, UUID } from './deployment/looks.ts'
import { findTemplates } from './deployment/templates.ts'
import { type Client, minerClient } from './miner-client.ts'
import { cachePerEpoch } from './per-epoch.ts'

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
   * Reports whether a miner may be asked in an epoch. Resolves once its deployment was checked, or
   * the epoch is over; with false while its model is not shown, which may change later.
   */
  readonly mayAsk: (miner: Asked, context: EpochContext) => Promise<boolean>
  /** Reports whether a miner's deployment was changed since it was first asked in an epoch. */
  readonly hasChanged: (miner: Asked, context: EpochContext) => Promise<boolean>
}

/**
 * Agents for miners on Chutes. In every epoch, a miner's chute is looked at before it is asked, and
 * so are its model's files: it must be the plain use of a template with what was committed, and
 * write its prompts by a chat template of the list, else the miner does not reply. Every reply has
 * the id of its invocation.
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
  const looks = new DeploymentChecks({ ...asking, key, pauseMs })
  const clientsByEpoch = cachePerEpoch(() => new Map<string, Client>())

  /** Asks a miner's chute, which is looked at before the first time. Protocol §5.4. */
  const createExchange =
    (miner: Asked, context: EpochContext): Exchange =>
    async (query) => {
      const look = await looks.first(miner, context)
      if (!look.ok) throw createRefusalError(look)
      const url = `https://${look.value.slug}.chutes.ai/v1/chat/completions`
      const received = await key.ask({ ...query, url }, context)
      if (received.status !== 200) return received
      const invocation = String(received.headers['x-chutes-invocationid'])
      if (!UUID.test(invocation)) throw new Undelivered('no id of an invocation')
      return { ...received, invocation }
    }

  const getClient = (miner: Asked, context: EpochContext): Client => {
    const known = clientsByEpoch(context.epoch)
    const exchange = createExchange(miner, context)
    const client = known.get(miner.hotkey) ?? minerClient(miner, { ...asking, exchange })
    known.set(miner.hotkey, client)
    return client
  }

  const agents: AgentOf = (miner, replyMs, context): MinerAgent => {
    findTemplates(miner.templates)
    const ask = getClient(miner, context)(replyMs, context.signal)
    return async (messages, call) => {
      const answer = await ask(messages, call)
      if ('content' in answer || !(await key.wasRefused(context, call?.end))) return answer
      throw new AskingProblem('key-refused', 'Chutes refused the API key: its lane is not sealed')
    }
  }
  return {
    agents,
    mayAsk: async (miner, context) => {
      const look = await looks.first(miner, context).catch(() => undefined)
      return look?.ok === true
    },
    hasChanged: (miner, context) => looks.hasChanged(miner, context),
  }
}
