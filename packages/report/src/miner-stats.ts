import {
  type ChallengePair,
  type ChallengeVerdict,
  compareRewards,
  findForfeit,
  isUnbegun,
} from '@affine/blocks'
import { type PerSide, registry, SIDES, type Side } from '@affine/envs'
import type { SamplePlace } from '@affine/settlement'
import { DuelLanes, type LaneData } from './duel-lanes.ts'

/** Number of forfeits, by the kinds of `findForfeit`. */
export type Forfeits = Readonly<Record<string, number>>

/**
 * Counts of a miner's challenges. Outplayed: lost challenges in which every reply was legal and in
 * time. Slow: challenges with a reply that took more than half of its time limit. Unbegun: games
 * that were never begun, which are ties and not forfeits.
 */
const COUNTS = ['challenges', 'won', 'lost', 'outplayed', 'slow', 'unbegun'] as const

type CountSums = Record<(typeof COUNTS)[number], number>

type MinerCounts = Readonly<CountSums> & { readonly forfeits: Forfeits }

/** Counts of a miner in a duel, in the epochs that were read and the lanes that count. */
export type MinerStats<Loss> = MinerCounts & {
  /** Number of challenges that were begun and not forfeited by a missing reply. */
  readonly answered: number
  readonly envs: Readonly<Record<string, MinerCounts>>
  /** Latest lost challenges of each environment. */
  readonly losses: readonly (Loss & { readonly epoch: number })[]
}

/** A lost challenge, the place of the contender's sample, and the kind of forfeit. */
export interface LostChallenge extends SamplePlace {
  readonly pair: ChallengePair
  readonly forfeit: string | undefined
}

interface CountOptions<Loss> {
  /** Miner whose results are counted. Default: both miners of each duel. */
  readonly hotkey?: string | undefined
  /** Maximum number of stored losses per environment. */
  readonly most: number
  /** Returns the data to store about a lost challenge. */
  readonly keep: (lost: LostChallenge) => Loss
}

/** Counts of one side in one lane. */
type SideCounts<Loss> = CountSums & {
  readonly forfeits: Record<string, number>
  readonly losses: Loss[]
}

type BothSides<Loss> = PerSide<SideCounts<Loss>>

/** The verdict, from the contender's view, with which a side loses a challenge. */
const LOST_BY: PerSide<ChallengeVerdict> = { champion: 'win', contender: 'loss' }

/** Counts the results of both miners of each duel, epoch by epoch. */
export class DuelStats<Loss> extends DuelLanes<BothSides<Loss>> {
  readonly #counting: CountOptions<Loss>

  constructor(counting: CountOptions<Loss>) {
    super()
    this.#counting = counting
  }

  protected override begin(): BothSides<Loss> {
    return { champion: zeroCounts(), contender: zeroCounts() }
  }

  protected override count(lane: BothSides<Loss>, pair: ChallengePair, place: SamplePlace): void {
    const { hotkey } = this.#counting
    for (const side of SIDES) {
      if (hotkey === undefined || pair[side].miner === hotkey)
        this.#countSide(lane[side], side, { ...place, pair, forfeit: findForfeit(pair, side) })
    }
  }

  #countSide(counts: SideCounts<Loss>, side: Side, lost: LostChallenge): void {
    const { most, keep } = this.#counting
    const { pair, forfeit } = lost
    counts.challenges += 1
    if (isUnbegun(pair)) counts.unbegun += 1
    if (isSlow(pair, side)) counts.slow += 1
    if (forfeit !== undefined) counts.forfeits[forfeit] = (counts.forfeits[forfeit] ?? 0) + 1
    const { champion, contender } = pair
    const verdict = compareRewards({ champion: champion.reward, contender: contender.reward })
    if (verdict !== 'tie' && verdict !== LOST_BY[side]) counts.won += 1
    if (verdict !== LOST_BY[side]) return
    counts.lost += 1
    if (forfeit === undefined) counts.outplayed += 1
    counts.losses.push(keep(lost))
    if (counts.losses.length > most) counts.losses.shift()
  }

  /**
   * Returns the counts of a side in the contender's duel of the previous epoch, over all epochs of
   * the duel that were read.
   */
  statsFor(side: Side, contender: string): MinerStats<Loss> {
    const lanes = this.countedLanes(contender)
    const sum = sumCounts(lanes, side)
    const names = [...new Set(lanes.map(({ env }) => env))].sort()
    const byEnv = names.map((env) => [env, lanes.filter((lane) => lane.env === env)] as const)
    return {
      ...sum,
      answered: sum.challenges - sum.unbegun - (sum.forfeits['no-reply'] ?? 0),
      envs: Object.fromEntries(byEnv.map(([env, own]) => [env, sumCounts(own, side)])),
      losses: byEnv.flatMap(([, own]) => listLosses(own, side).slice(-this.#counting.most)),
    }
  }
}

type CountedLanes<Loss> = readonly LaneData<BothSides<Loss>>[]

function isSlow(pair: ChallengePair, side: Side): boolean {
  const { replyMs = Number.POSITIVE_INFINITY } = registry.get(pair.env) ?? {}
  return pair[side].messages.some(({ ms = 0 }) => 2 * ms > replyMs)
}

const zeroCounts = <Loss>(): SideCounts<Loss> => {
  const zeros = Object.fromEntries(COUNTS.map((what) => [what, 0])) as CountSums
  return { ...zeros, forfeits: {}, losses: [] }
}

function sumCounts<Loss>(lanes: CountedLanes<Loss>, side: Side): MinerCounts {
  const { losses: _, ...sum } = zeroCounts()
  for (const { data } of lanes) {
    for (const what of COUNTS) sum[what] += data[side][what]
    for (const [way, count] of Object.entries(data[side].forfeits))
      sum.forfeits[way] = (sum.forfeits[way] ?? 0) + count
  }
  return sum
}

const listLosses = <Loss>(lanes: CountedLanes<Loss>, side: Side) =>
  lanes.flatMap(({ epoch, data }) => data[side].losses.map((loss) => ({ epoch, ...loss })))
