import { callOf } from './call.ts'
import { type PendingCommit, pendingCommits } from './pending-commits.ts'
import { type Opening, openingOf } from './salts.ts'
import { type Storage, SUBNET_PALLET } from './storage.ts'
import { countsEpochs, tempoOf } from './tempo.ts'
import type { WeightMeans } from './weight-means.ts'
import type { Plan } from './weight-plan.ts'
import { areInForce } from './weights-in-force.ts'

/**
 * The reveal that is due in the next block, of a commit whose salt is in the store; null if there
 * is none. Protocol §8.12.
 */
export async function planReveal(
  storage: Storage,
  { netuid, salts }: WeightMeans,
  hotkey: string,
): Promise<Plan | null> {
  if (!salts) return null
  const commits = await pendingCommits(storage, netuid, hotkey)
  if (commits.length === 0) return null
  const isDue = await dueIn(storage, netuid)
  for (const commit of commits.filter(isDue)) {
    const opening = await openingOf(salts, commit.hash)
    if (opening !== null) return planOpening(netuid, hotkey, opening)
  }
  return null
}

/** A function that says whether a commit is to be revealed in the next block. */
async function dueIn(
  storage: Storage,
  netuid: number,
): Promise<(commit: PendingCommit) => boolean> {
  const { epoch, period, head } = await tempoOf(storage, netuid)
  // A runtime that counts epochs stores the epoch of the commit. Others store the first and the
  // last block of the reveal.
  if (countsEpochs(storage)) return ({ since }) => epoch === since + period
  const next = head + 1
  return ({ firstBlock, lastBlock }) => next >= firstBlock && next <= lastBlock
}

function planOpening(netuid: number, hotkey: string, opening: Opening): Plan {
  const { uids, values, salt, versionKey } = opening
  const weights = uids.map((uid, i) => [uid, values[i] ?? 0] as const)
  return {
    call: callOf(SUBNET_PALLET, 'revealWeights', netuid, uids, values, salt, versionKey),
    tookEffect: (after) => areInForce(after, netuid, { hotkey, weights }),
  }
}
