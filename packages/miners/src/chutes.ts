import {
  type AgentFactory,
  type CallOptions,
  DeliveryError,
  type EpochContext,
  type Exchange,
  type MinerAgent,
  MinerError,
} from './asking.ts'
import { ChutesKey } from './chutes-key.ts'
import { createRefusalError, DeploymentChecks, UUID } from './deployment/checks.ts'
import type { TargetMiner } from './deployment/deployment.ts'
import { findTemplates } from './deployment/templates.ts'
import { type Client, minerClient } from './miner-client.ts'
import { cachePerEpoch } from './per-epoch.ts'

interface Options extends CallOptions {
  readonly apiKey: string
  /**
   * The subnet whose chutes are called; the account needs a role for it. Omitted if only the
   * account's own chutes are called.
   */
  readonly netuid?: number | undefined
  /** Milliseconds between checks of the account, or of a model not yet public. Default: 60,000. */
  readonly pauseMs?: number
}

export interface Chutes {
  readonly agent: AgentFactory
  /**
   * Reports whether a miner may be asked in an epoch. Resolves once its deployment is checked, or
   * with false once the epoch is over. While the miner's model is not public, the result is false,
   * and a later result may differ.
   */
  readonly mayAsk: (miner: TargetMiner, context: EpochContext) => Promise<boolean>
  /** Reports whether a miner's deployment changed since its first check in an epoch. */
  readonly hasChanged: (miner: TargetMiner, context: EpochContext) => Promise<boolean>
}

/**
 * Opens the miners on Chutes. In each epoch, a miner's chute and the files of its model are checked
 * before the miner is asked: the chute must be the plain use of a template with the committed
 * model, and the model's chat templates on the network's list; otherwise the miner has no reply.
 * Each reply has the id of its invocation.
 *
 * While the account is not in order, no miner is asked. An agent without a reply rejects at the end
 * of an epoch with such a pause, and at the end of a clock that ran during the pause, since it is
 * uncertain whether the miner is at fault. Protocol §5.4.
 * @throws RangeError for an invalid key, which is not quoted; from `agent` for a list of templates
 *   that this release does not have.
 */
export function openChutes(options: Options): Chutes {
  const { apiKey, netuid, pauseMs = 60_000, ...asking } = options
  const key = new ChutesKey({ ...asking, apiKey, netuid, pauseMs })
  const checks = new DeploymentChecks({ ...asking, key, pauseMs })
  const clientsByEpoch = cachePerEpoch(() => new Map<string, Client>())

  /** Returns an exchange with a chute, which is checked before its first request. Protocol §5.4. */
  const createExchange =
    (miner: TargetMiner, context: EpochContext): Exchange =>
    async (query) => {
      const check = await checks.first(miner, context)
      if (!check.ok) throw createRefusalError(check)
      const url = `https://${check.value.slug}.chutes.ai/v1/chat/completions`
      const received = await key.ask({ ...query, url }, context)
      if (received.status !== 200) return received
      const invocation = String(received.headers['x-chutes-invocationid'])
      if (!UUID.test(invocation)) throw new DeliveryError('the response has no invocation id')
      return { ...received, invocation }
    }

  const agent: AgentFactory = (miner, replyMs, context): MinerAgent => {
    findTemplates(miner.templates)
    const clients = clientsByEpoch(context.epoch)
    const exchange = createExchange(miner, context)
    const client = clients.get(miner.hotkey) ?? minerClient(miner, { ...asking, exchange })
    clients.set(miner.hotkey, client)
    const ask = client(replyMs, context.signal)
    return async (messages, call) => {
      const answer = await ask(messages, call)
      if ('content' in answer || !(await key.wasRefused(context, call?.end))) return answer
      throw new MinerError('key-refused', 'Chutes refused the account: the lane is not sealed')
    }
  }
  return {
    agent,
    mayAsk: async (miner, context) =>
      checks.first(miner, context).then(
        ({ ok }) => ok,
        () => false,
      ),
    hasChanged: (miner, context) => checks.hasChanged(miner, context),
  }
}
