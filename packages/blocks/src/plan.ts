import { deriveChallenges, type Env, make, type PerSide, registry } from '@affine/envs'
import { digest, type Hash } from '@affine/prng'
import { type BlockFault, type Failure, faultAt, faultUnlessEqual } from './fault.ts'
import { compareRewards, computePoints, type Header, type LaneChallenge } from './line.ts'

/** The fields that all blocks of a lane share. */
export type LaneId = Pick<Header, 'genesis' | 'netuid' | 'validator' | 'epoch'>

const LANE = ['genesis', 'netuid', 'validator', 'epoch'] as const

/**
 * Returns the fault in the first field that differs from the scope, or null. Protocol §6.5, §6.6.
 */
export function checkScope(code: BlockFault, header: LaneId, scope: LaneId): Failure | null {
  for (const name of LANE) {
    const wrong = faultUnlessEqual(code, header[name], scope[name])
    if (wrong !== null) return faultAt(name, wrong)
  }
  return null
}

/** The champion and the quotas of a lane. They determine its plan. Protocol §8.2. */
export interface LaneQuotas {
  /** Hotkey. */
  readonly champion: string
  /** Number of challenges by the contender's hotkey, then by environment id. Default: 0. */
  readonly quotas: Readonly<Record<string, Readonly<Record<string, number>>>>
}

/** The requirements for a lane, all known from chain and state before the lane is read. */
export interface Scope extends LaneId, LaneQuotas {
  /** Hash of the chain block with which the epoch begins. */
  readonly beacon: Hash
  /** The validator's C on chain in the epoch's snapshot: see `hashCommitment`. */
  readonly commitment: Hash
  readonly specHashes: Readonly<Record<string, Hash>>
}

/**
 * Returns C: what a validator commits on chain before the beacon, so that it cannot choose its
 * challenges. Protocol §4.
 */
export function hashCommitment(lane: LaneId & { readonly secret: Hash }): Hash {
  const { genesis, netuid, validator, epoch, secret } = lane
  return digest('commit', genesis, netuid, validator, epoch, secret)
}

/** One sample of a lane before it is played, with the hotkeys of its miners. Protocol §6.5. */
export type PlannedSample = PlannedEpisode | PlannedGame
type Place = Pick<LaneChallenge, 'env' | 'index'>
type PlannedEpisode = Place & { readonly miner: string }
type PlannedGame = Place & PerSide<string>

/**
 * Returns the samples of a lane, in order. Protocol §6.5.
 * @throws RangeError, TypeError for an environment that is not registered.
 */
export function planLane(lane: LaneQuotas): readonly PlannedSample[] {
  const plan = plans.get(lane) ?? makePlan(lane)
  plans.set(lane, plan)
  return plan
}

/** Plans by lane: each block of a lane is compared with the same plan. */
const plans = new WeakMap<LaneQuotas, readonly PlannedSample[]>()

function makePlan(lane: LaneQuotas): readonly PlannedSample[] {
  const isGame = (env: string): boolean => make(env).spec.game !== undefined
  return listEnvs(lane).flatMap((env): readonly PlannedSample[] =>
    isGame(env) ? planGames(env, lane) : planEpisodes(env, lane),
  )
}

/** Returns the environments that at least one contender plays, ascending. */
const listEnvs = ({ quotas }: LaneQuotas): readonly string[] =>
  [...new Set(Object.values(quotas).flatMap(Object.keys))].sort()

/** Returns the contenders, ascending, with their quotas in an environment. */
const listPlayers = (env: string, { quotas }: LaneQuotas): (readonly [string, number])[] =>
  Object.keys(quotas)
    .sort()
    .map((contender) => [contender, quotas[contender]?.[env] ?? 0] as const)

/** Returns the games of an environment: each contender plays its quota with the champion. */
function planGames(env: string, lane: LaneQuotas): readonly PlannedGame[] {
  const { champion } = lane
  return listPlayers(env, lane).flatMap(([contender, quota]) =>
    Array.from({ length: quota }, (_, index) => ({ env, index, champion, contender })),
  )
}

/**
 * Returns the episodes of an environment. The champion plays every challenge, a contender as many
 * as its quota, from the first on.
 */
function planEpisodes(env: string, lane: LaneQuotas): readonly PlannedEpisode[] {
  const contenders = listPlayers(env, lane)
  const count = Math.max(...contenders.map(([, quota]) => quota))
  const episodes: PlannedEpisode[] = []
  for (let index = 0; index < count; index++) {
    episodes.push({ env, index, miner: lane.champion })
    for (const [miner, quota] of contenders) if (index < quota) episodes.push({ env, index, miner })
  }
  return episodes
}

/** An environment of a lane, and the function that derives its challenges. */
export interface LaneEnv {
  readonly env: Env
  readonly challengeAt: ReturnType<typeof deriveChallenges>
}

/**
 * Returns the environments of a lane by id.
 * @throws RangeError for an environment that is not registered; TypeError without a specHash.
 */
export function makeLaneEnvs(scope: Scope, secret: Hash): ReadonlyMap<string, LaneEnv> {
  const laneEnvOf = (env: string): LaneEnv => {
    const specHash = scope.specHashes[env]
    if (specHash === undefined)
      throw new TypeError(`"specHashes" expected one for ${env}, got none`)
    return { env: make(env), challengeAt: deriveChallenges({ ...scope, env, specHash, secret }) }
  }
  return new Map(listEnvs(scope).map((env) => [env, laneEnvOf(env)]))
}

/** Rewards in one sample: the miner's, or in a game the champion's and the contender's. */
export type Rewards = readonly number[]

/**
 * A contender's result in an environment. Challenges of its quota that are neither wins nor losses
 * are ties. Points are sums over these challenges, in ppm per challenge; games have no points.
 */
type Totals = [wins: number, losses: number, contenderPoints: number, championPoints: number]

/**
 * Totals by contender, then by environment: the `LaneTallies` of `@affine/duel`, on which this
 * package does not depend. Protocol §6.5.
 */
export type LaneTotals = Readonly<Record<string, Readonly<Record<string, Readonly<Totals>>>>>

/** Returns the tallies of a lane from its plan and the rewards in each sample. Protocol §6.5. */
export function countTallies(
  lane: LaneQuotas,
  plan: readonly PlannedSample[],
  rewards: readonly Rewards[],
): LaneTotals {
  const tallies = createTallies(lane)
  let champion = 0
  for (const [k, planned] of plan.entries()) {
    const [first = 0, second = first] = rewards[k] ?? []
    const isGame = 'contender' in planned
    const player = isGame ? planned.contender : planned.miner
    // The champion's sample of a challenge precedes the contenders'.
    if (isGame || player === lane.champion) champion = first
    if (isGame || player !== lane.champion)
      countChallenge(tallies[player]?.[planned.env], { champion, contender: second }, planned.env)
  }
  return tallies
}

function createTallies({ quotas }: LaneQuotas): Record<string, Record<string, Totals>> {
  const emptyOf = (envs: object) =>
    Object.fromEntries(Object.keys(envs).map((env): [string, Totals] => [env, [0, 0, 0, 0]]))
  const contenders = Object.entries(quotas)
  return Object.fromEntries(contenders.map(([contender, envs]) => [contender, emptyOf(envs)]))
}

function countChallenge(tally: Totals | undefined, rewards: PerSide<number>, env: string): void {
  const spec = registry.get(env)
  if (tally === undefined || spec === undefined) return
  const verdict = compareRewards(rewards)
  if (verdict === 'win') tally[0] += 1
  if (verdict === 'loss') tally[1] += 1
  if (spec.game !== undefined) return
  tally[2] += computePoints(rewards.contender, spec)
  tally[3] += computePoints(rewards.champion, spec)
}
