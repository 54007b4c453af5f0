import type { Setup } from '@affine/engine'
import {
  type AgentOf,
  endpointAgents,
  type Hear,
  openChutes,
} from '@affine/miners'
import { NODE_CALLER } from '@affine/miners/node'
import type { Network } from '@affine/settlement'
import { NO_KEY, problemText, type Settings } from '../settings/settings.ts'

/**
 * Who asks the miners: on Chutes, or endpoints on loopback. On Chutes with the role for the subnet
 * `netuid`; without it as the owner of the chute that is asked.
 * @throws RangeError if the key for Chutes is missing on a network whose miners are on Chutes.
 */
export function minersOf(
  { platform }: Network,
  settings: Pick<Settings, 'chutesApiKey' | 'concurrency'> & { readonly netuid?: number },
  on: Hear,
): Pick<Setup, 'agent' | 'mayAsk' | 'hasChanged'> {
  const { chutesApiKey: apiKey, concurrency, netuid } = settings
  const asking = { ...NODE_CALLER, concurrency, on }
  if (platform === 'loopback') return { agent: endpointAgents(asking) }
  if (!apiKey) throw new RangeError(problemText(NO_KEY))
  const { agents: agent, mayAsk, hasChanged } = openChutes({ ...asking, apiKey, netuid })
  return { agent, mayAsk, hasChanged }
}

/** The agents for a trial, on Chutes with the environment's CHUTES_API_KEY. */
export const agentsHere = (network: Network, on: Hear, concurrency = 8): AgentOf =>
  minersOf(network, { chutesApiKey: process.env.CHUTES_API_KEY, concurrency }, on).agent
