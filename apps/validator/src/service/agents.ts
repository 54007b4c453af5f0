import type { Setup } from '@affine/engine'
import {
  type Asked,
  type Client,
  chutesAccount,
  endpointAgents,
  type Hear,
  mayCall,
  noAccessText,
  openChutes,
} from '@affine/miners'
import { NODE_CALLER } from '@affine/miners/node'
import type { Network, Subnet } from '@affine/settlement'
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

/** What keeps the account at Chutes from calling the subnet's chutes, if Chutes says so now. */
export async function accessProblem(
  { chain: { netuid }, network: { platform } }: Subnet,
  { chutesApiKey: apiKey }: Pick<Settings, 'chutesApiKey'>,
): Promise<string | undefined> {
  if (platform === 'loopback' || !apiKey) return undefined
  const asked = chutesAccount(apiKey, NODE_CALLER)
  const account = await asked.catch(() => undefined)
  if (account?.status !== 200 || mayCall(account, netuid)) return undefined
  return `Chutes ${noAccessText(account, netuid)}`
}

/** The client of a miner for a trial, on Chutes with the environment's CHUTES_API_KEY. */
export function clientHere(
  network: Network,
  miner: Asked,
  on: Hear,
  concurrency: number = 8,
): Client {
  const { agent } = minersOf(network, { chutesApiKey: process.env.CHUTES_API_KEY, concurrency }, on)
  return (replyMs, signal) => agent(miner, replyMs, { epoch: 0, signal })
}
