import { randomBytes } from 'node:crypto'
import type { Account } from '@affine/chain'
import type { Setup } from '@affine/engine'
import { type AgentOf, chutesAgents, endpointAgents, type Hear } from '@affine/miners'
import { NODE_CALLER } from '@affine/miners/node'
import type { CheckBlock, Network, OpenBucket, Source, Subnet } from '@affine/settlement'
import { emits, placesOf } from '../../buckets/places.ts'
import type { Settings } from '../../settings/schema.ts'
import { NO_KEY } from '../../settings/settings.ts'

/** The chain that a validator works on, where blocks are checked, and who hears what happens. */
interface Surroundings {
  readonly subnet: Subnet
  readonly check: CheckBlock
  readonly on: Setup['on']
}

/**
 * All that a validator needs on this machine.
 * @throws RangeError without a key for Chutes, on a network whose miners are there.
 */
export function setupOf(settings: Settings, account: Account, around: Surroundings): Setup {
  const { subnet, check, on } = around
  const { chain, network } = subnet
  const agent = agentsOf(network, settings, on)
  const { openBucket, ...places } = placesOf(settings, account.hotkey, network)
  return {
    ...places,
    chain,
    account,
    network,
    emit: emits(network, settings),
    replay: settings.replay ?? false,
    openBucket: tellingReads(openBucket, on),
    check,
    agent,
    now: Date.now,
    random: randomBytes,
    on,
  }
}

/** Who answers for miners: Chutes, or endpoints on loopback. */
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

/** Opens buckets as `open` does, and tells whenever one has answered or failed to. */
function tellingReads(open: OpenBucket, on: Setup['on']): OpenBucket {
  return (hotkey, url) => {
    const source = open(hotkey, url)
    if (source === null) return null
    const read: Source['read'] = (...asked) =>
      source.read(...asked).finally(() => on({ type: 'read' }))
    return { ...source, read }
  }
}
