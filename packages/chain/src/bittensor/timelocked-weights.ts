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
 * How many rounds (ten minutes) the chain's drand may be behind the clock and still open timelocks
 * in time.
 */
const MAX_LAG_ROUNDS = 200
/** So many blocks after the epoch of the reveal has begun, a timelock opens. */
const REVEAL_MARGIN_BLOCKS = 3

/**
 * The calls by which runtimes take timelocked weights, newest first. The payload of the oldest does
 * not name the hotkey, and this call has no version of commit and reveal.
 */
const TIMELOCKED = [
  { name: 'commitTimelockedWeights', mechanism: [], namesHotkey: true },
  { name: 'commitTimelockedMechanismWeights', mechanism: [0], namesHotkey: true },
  { name: 'commitCrv3Weights', mechanism: [], namesHotkey: false },
] as const

/** The storage items in which runtimes keep these commits. */
const TIMELOCKED_COMMITS = [
  'timelockedWeightCommits',
  'crv3WeightCommitsV2',
  'crv3WeightCommits',
] as const

type TimelockedCall = (typeof TIMELOCKED)[number]

/**
 * The runtime's call for timelocked weights; null if it has none, or its beacon would open them too
 * late.
 */
export async function timelockedCallOf(
  storage: Storage,
  { now }: WeightMeans,
): Promise<TimelockedCall | null> {
  const timelocked = TIMELOCKED.find(({ name }) => storage.hasCall(SUBNET_PALLET, name))
  if (timelocked === undefined) return null
  const isInTime = (await lastRoundOf(storage)) >= drandRound(now()) - MAX_LAG_ROUNDS
  return isInTime ? timelocked : null
}

/** The last round of drand that the chain has; 0 if it has none. */
async function lastRoundOf(storage: Storage): Promise<number> {
  if (!storage.has('drand', 'lastStoredRound')) return 0
  return Number(await storage.query('drand', 'lastStoredRound'))
}

/** A commit of weights that the chain itself opens in the epoch of their reveal. Protocol §8.12. */
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
    tookEffect: async (after) => {
      const items = TIMELOCKED_COMMITS.filter((item) => after.has(SUBNET_PALLET, item))
      const commits = await Promise.all(
        items.map((item) => after.entries(SUBNET_PALLET, item, netuid)),
      )
      return JSON.stringify(commits).includes(sealed)
    },
  }
}

/** The round of drand that is published just after the epoch of the reveal has begun. */
async function revealRound(storage: Storage, { netuid, now }: WeightMeans): Promise<number> {
  const { nextStart, length, period, head } = await tempoOf(storage, netuid)
  const blocks = nextStart + (period - 1) * length + REVEAL_MARGIN_BLOCKS - head
  const blockMs = Number(storage.constant('aura', 'slotDuration') ?? BLOCK_MS)
  return drandRound(now() + blocks * blockMs)
}
