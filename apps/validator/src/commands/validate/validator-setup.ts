import { randomBytes } from 'node:crypto'
import type { Account } from '@affine/chain'
import type { Setup } from '@affine/engine'
import type { CheckBlock, OpenBucket, Source, Subnet } from '@affine/settlement'
import { emits, placesOf } from '../../buckets/places.ts'
import { minersOf } from '../../service/agents.ts'
import type { Settings } from '../../settings/settings.ts'

/** The validator's subnet, the checker of blocks, and the listener for events. */
interface Surroundings {
  readonly subnet: Subnet
  readonly check: CheckBlock
  readonly on: Setup['on']
}

/**
 * Everything that a validator needs on this machine.
 * @throws RangeError if the key for Chutes is missing on a network whose miners are on Chutes.
 */
export function setupOf(settings: Settings, account: Account, around: Surroundings): Setup {
  const { subnet, check, on } = around
  const { chain, network } = subnet
  const { openBucket, ...places } = placesOf(settings, account.hotkey, network)
  return {
    ...places,
    ...minersOf(network, settings, on),
    chain,
    account,
    network,
    emit: emits(network, settings),
    replay: settings.replay ?? false,
    openBucket: tellingReads(openBucket, on),
    check,
    now: Date.now,
    random: randomBytes,
    on,
  }
}

/** Opens buckets as `open` does, and emits an event after every read, failed or not. */
function tellingReads(open: OpenBucket, on: Setup['on']): OpenBucket {
  return (hotkey, url) => {
    const source = open(hotkey, url)
    if (source === null) return null
    const read: Source['read'] = (...asked) =>
      source.read(...asked).finally(() => on({ type: 'read' }))
    return { ...source, read }
  }
}
