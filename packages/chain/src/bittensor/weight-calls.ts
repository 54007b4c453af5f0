import { ChainError } from '../chain-error.ts'
import { callOf } from './call.ts'
import type { WeightMeans } from './nodes.ts'
import { type Storage, SUBNET_PALLET } from './storage.ts'
import { planTimelocked } from './timelocked-weights.ts'
import type { HotkeyWeights, Plan, VersionedWeights } from './weight-plan.ts'
import { areInForce } from './weights-in-force.ts'

/**
 * How to set weights in the way that the subnet requires: public at once, or timelocked. Protocol
 * §8.12.
 * @throws ChainError, as a rejection, if they have to be timelocked: `NotInRuntime` if the runtime
 *   cannot, `DrandBehind` if the chain would open them too late.
 */
export async function planWeights(
  storage: Storage,
  means: WeightMeans,
  { hotkey, weights }: HotkeyWeights,
): Promise<Plan> {
  const { netuid } = means
  const versionKey = await storage.integer(SUBNET_PALLET, 'weightsVersionKey', netuid)
  const versioned = { hotkey, weights, versionKey }
  const setting = await storage.query(SUBNET_PALLET, 'commitRevealWeightsEnabled', netuid)
  switch (setting.toJSON()) {
    case false:
      return planOpen(netuid, versioned)
    case true:
      return planTimelocked(storage, means, versioned)
    default:
      throw new ChainError('BadReply', 'the chain does not say whether weights are timelocked')
  }
}

/** A call that sets weights which anyone can read at once. Protocol §8.12. */
function planOpen(netuid: number, versioned: VersionedWeights): Plan {
  const { weights, versionKey } = versioned
  const uids = weights.map(([uid]) => uid)
  const values = weights.map(([, value]) => value)
  return {
    call: callOf(SUBNET_PALLET, 'setWeights', netuid, uids, values, versionKey),
    tookEffect: (after) => areInForce(after, netuid, versioned),
  }
}
