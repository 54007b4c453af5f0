import { bytesToHex } from '@noble/hashes/utils.js'
import { BLOCK_MS } from '../chain.ts'
import { callOf } from './call.ts'
import { type Storage, SUBNET_PALLET } from './storage.ts'
import { tempoOf } from './tempo.ts'
import { drandRound, timelockEncrypt } from './timelock.ts'
import { timelockPayload } from './weight-encoding.ts'
import type { WeightMeans } from './weight-means.ts'
import type { Plan, VersionedWeights } from './weight-plan.ts'

/**
 * Rounds that the chain's drand may lag behind the clock, ten minutes, and still open timelocks in
 * time.
 */
const DRAND_LAG = 200
/** Blocks into the reveal epoch for whose time a timelock is made. */
const REVEAL_MARGIN = 3

/**
 * The timelocked commits of the runtimes, newest first; the oldest one's payload does not name the
 * hotkey, and it is not told the version of commit and reveal.
 */
const TIMELOCKED = [
  { name: 'commitTimelockedWeights', mechanism: [], namesHotkey: true },
  { name: 'commitTimelockedMechanismWeights', mechanism: [0], namesHotkey: true },
  { name: 'commitCrv3Weights', mechanism: [], namesHotkey: false },
] as const

/** Where runtimes keep them. */
const TIMELOCKED_COMMITS = [
  'timelockedWeightCommits',
  'crv3WeightCommitsV2',
  'crv3WeightCommits',
] as const

type TimelockedCall = (typeof TIMELOCKED)[number]

/**
 * The runtime's timelocked commit; null without one, and without a beacon that opens it in time.
 */
export async function timelockedCallOf(
  storage: Storage,
  { now }: WeightMeans,
): Promise<TimelockedCall | null> {
  const timelocked = TIMELOCKED.find(({ name }) => storage.hasCall(SUBNET_PALLET, name))
  if (timelocked === undefined) return null
  const isInTime = (await lastRoundOf(storage)) >= drandRound(now()) - DRAND_LAG
  return isInTime ? timelocked : null
}

/** The last round of drand that the chain has; 0 where it has none. */
async function lastRoundOf(storage: Storage): Promise<number> {
  if (!storage.has('drand', 'lastStoredRound')) return 0
  return Number(await storage.query('drand', 'lastStoredRound'))
}

/** Weights that the chain opens itself, in the epoch of their reveal. Protocol §8.12. */
export async function planTimelocked(
  storage: Storage,
  means: WeightMeans,
  order: VersionedWeights & { readonly timelocked: TimelockedCall },
): Promise<Plan> {
  const { netuid, random } = means
  const { hotkey, weights, versionKey, timelocked } = order
  const { name, mechanism, namesHotkey } = timelocked
  const round = await revealRound(storage, means)
  const payload = timelockPayload({ weights, versionKey, ...(namesHotkey && { hotkey }) })
  const sealed = `0x${bytesToHex(await timelockEncrypt(payload, round, random))}`
  const args: unknown[] = [netuid, ...mechanism, sealed, round]
  if (namesHotkey) args.push(await storage.query(SUBNET_PALLET, 'commitRevealWeightsVersion'))
  return {
    call: callOf(SUBNET_PALLET, name, ...args),
    isHeld: async (after) => {
      const items = TIMELOCKED_COMMITS.filter((item) => after.has(SUBNET_PALLET, item))
      const commits = await Promise.all(
        items.map((item) => after.entries(SUBNET_PALLET, item, netuid)),
      )
      return JSON.stringify(commits).includes(sealed)
    },
  }
}

/** The round of drand that comes out once the epoch of the reveal has begun. */
async function revealRound(storage: Storage, { netuid, now }: WeightMeans): Promise<number> {
  const { nextStart, length, period, head } = await tempoOf(storage, netuid)
  const blocks = nextStart + (period - 1) * length + REVEAL_MARGIN - head
  const blockMs = Number(storage.constant('aura', 'slotDuration') ?? BLOCK_MS)
  return drandRound(now() + blocks * blockMs)
}
