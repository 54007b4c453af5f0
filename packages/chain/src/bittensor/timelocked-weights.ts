import { bytesToHex } from '@noble/hashes/utils.js'
import { BLOCK_MS } from '../chain.ts'
import { ChainError } from '../chain-error.ts'
import { callOf } from './call.ts'
import type { WeightMeans } from './nodes.ts'
import { integerIn, type Storage, SUBNET_PALLET } from './storage.ts'
import { tempoOf } from './tempo.ts'
import { drandRound, timelockEncrypt } from './timelock.ts'
import { timelockPayload } from './weight-encoding.ts'
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

/**
 * A commit of weights that the chain itself opens in the epoch of their reveal. Protocol §8.12.
 * @throws ChainError, as a rejection: `NotInRuntime` if the runtime has no call for it,
 *   `DrandBehind` if the chain's drand would open the commit too late.
 */
export async function planTimelocked(
  storage: Storage,
  means: WeightMeans,
  { hotkey, weights, versionKey }: VersionedWeights,
): Promise<Plan> {
  const { netuid, random, now } = means
  const timelocked = TIMELOCKED.find(({ name }) => storage.hasCall(SUBNET_PALLET, name))
  if (timelocked === undefined)
    throw new ChainError('NotInRuntime', "this chain's runtime has no call for timelocked weights")
  const lastRound = Number(await storage.integer('drand', 'lastStoredRound'))
  if (lastRound < drandRound(now()) - MAX_LAG_ROUNDS) throw new ChainError('DrandBehind')
  const { name, mechanism, namesHotkey } = timelocked
  const round = await revealRound(storage, means)
  const payload = timelockPayload({ weights, versionKey, ...(namesHotkey && { hotkey }) })
  const sealed = `0x${bytesToHex(await timelockEncrypt(payload, round, random))}`
  const args: unknown[] = [netuid, ...mechanism, sealed, round]
  if (namesHotkey) args.push(await storage.integer(SUBNET_PALLET, 'commitRevealWeightsVersion'))
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
  const slot = storage.constant('aura', 'slotDuration')
  const blockMs = slot ? Number(integerIn(slot, 'aura.slotDuration')) : BLOCK_MS
  return drandRound(now() + blocks * blockMs)
}
