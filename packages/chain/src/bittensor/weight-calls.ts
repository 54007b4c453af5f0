import { ChainError } from '../chain-error.ts'
import { callOf } from './call.ts'
import { pendingCommits } from './pending-commits.ts'
import { keepOpening } from './salts.ts'
import { type Storage, SUBNET_PALLET } from './storage.ts'
import { planTimelocked, timelockedCallOf } from './timelocked-weights.ts'
import { commitHash } from './weight-encoding.ts'
import type { WeightMeans } from './weight-means.ts'
import type { HotkeyWeights, Plan, VersionedWeights } from './weight-plan.ts'
import { areInForce } from './weights-in-force.ts'

/**
 * How to set weights in the way that the subnet requires: public at once; or timelocked, if the
 * chain's drand beacon runs; or else as a hash, whose salt is in the store before the call can be
 * sent. Protocol §8.12.
 */
export async function planWeights(
  storage: Storage,
  means: WeightMeans,
  { hotkey, weights }: HotkeyWeights,
): Promise<Plan> {
  const { netuid } = means
  const versionKey = BigInt(`${await storage.query(SUBNET_PALLET, 'weightsVersionKey', netuid)}`)
  const versioned = { hotkey, weights, versionKey }
  const commitReveal = await storage.query(SUBNET_PALLET, 'commitRevealWeightsEnabled', netuid)
  if (`${commitReveal}` === 'false') return planOpen(means, versioned)
  const timelocked = await timelockedCallOf(storage, means)
  if (timelocked === null) return planHashed(means, versioned)
  return planTimelocked(storage, means, { ...versioned, timelocked })
}

/** A call that sets weights which anyone can read at once. Protocol §8.12. */
function planOpen({ netuid }: WeightMeans, versioned: VersionedWeights): Plan {
  const { weights, versionKey } = versioned
  const uids = weights.map(([uid]) => uid)
  const values = weights.map(([, value]) => value)
  return {
    call: callOf(SUBNET_PALLET, 'setWeights', netuid, uids, values, versionKey),
    tookEffect: (after) => areInForce(after, netuid, versioned),
  }
}

/** A call that commits the hash of weights, which `planReveal` opens later. Protocol §8.12. */
async function planHashed(
  { netuid, salts, random }: WeightMeans,
  { hotkey, weights, versionKey }: VersionedWeights,
): Promise<Plan> {
  if (!salts) throw new ChainError('NoSalts')
  const salt = [...new Uint16Array(Uint8Array.from(random(16)).buffer)]
  const hash = commitHash({ hotkey, netuidIndex: netuid, weights, salt, versionKey })
  await keepOpening(salts, hash, {
    uids: weights.map(([uid]) => uid),
    values: weights.map(([, value]) => value),
    salt,
    versionKey: `${versionKey}`,
  })
  return {
    call: callOf(SUBNET_PALLET, 'commitWeights', netuid, `0x${hash}`),
    tookEffect: async (after) => {
      const pending = await pendingCommits(after, netuid, hotkey)
      return pending.some((commit) => commit.hash === hash)
    },
  }
}
