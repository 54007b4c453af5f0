import { type AgentOf, chutesAgents, endpointAgents, type Hear } from '@affine/miners'
import { NODE_CALLER } from '@affine/miners/node'
import type { Network } from '@affine/settlement'
import type { Settings } from '../settings/schema.ts'
import { NO_KEY } from '../settings/settings.ts'

/**
 * The agents of miners: on Chutes, or endpoints on loopback.
 * @throws RangeError if the key for Chutes is missing on a network whose miners are on Chutes.
 */
export function agentsOf(
  { platform }: Network,
  settings: Pick<Settings, 'chutesApiKey' | 'concurrency'>,
  on: Hear,
): AgentOf {
  const { chutesApiKey: apiKey, concurrency } = settings
  const asking = { ...NODE_CALLER, concurrency, on }
  if (platform === 'loopback') return endpointAgents(asking)
  if (!apiKey) throw new RangeError(NO_KEY)
  return chutesAgents({ ...asking, apiKey })
}

/** The same for one question, on Chutes with the environment's CHUTES_API_KEY. */
export const agentsHere = (network: Network, on: Hear): AgentOf =>
  agentsOf(network, { chutesApiKey: process.env.CHUTES_API_KEY, concurrency: 1 }, on)
