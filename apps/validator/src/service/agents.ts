import type { Setup } from '@affine/engine'
import { endpointAgents, type MinerListener, openChutes, type TargetMiner } from '@affine/miners'
import { NODE_CALLER } from '@affine/miners/node'
import type { Network } from '@affine/settlement'
import { NO_KEY, type Settings } from '../settings/settings.ts'

/**
 * Returns the agents that ask miners: on Chutes, or endpoints on loopback. On Chutes they use the
 * key's role for the subnet `netuid`; without `netuid`, the rights of the owner of the chute.
 * @throws RangeError if the key for Chutes is missing on a network whose miners are on Chutes.
 */
export function connectMiners(
  { platform }: Network,
  settings: Pick<Settings, 'chutesApiKey' | 'concurrency'> & { readonly netuid?: number },
  on: MinerListener,
): Pick<Setup, 'agent' | 'mayAsk' | 'hasChanged'> {
  const { chutesApiKey: apiKey, concurrency, netuid } = settings
  const asking = { ...NODE_CALLER, concurrency, on }
  if (platform === 'loopback') return { agent: endpointAgents(asking) }
  if (!apiKey) throw new RangeError(NO_KEY)
  return openChutes({ ...asking, apiKey, netuid })
}

/**
 * Opens the client of a miner for a trial, on Chutes with the environment's CHUTES_API_KEY. At most
 * `maxCalls` calls are concurrent.
 */
export function openClient(network: Network, miner: TargetMiner, on: MinerListener, maxCalls = 8) {
  const settings = { chutesApiKey: process.env.CHUTES_API_KEY, concurrency: maxCalls }
  const { agent } = connectMiners(network, settings, on)
  return (replyMs: number, signal: AbortSignal) => agent(miner, replyMs, { epoch: 0, signal })
}
