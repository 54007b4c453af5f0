import {
  type ChallengePair,
  type ChallengeVerdict,
  challengeVerdict,
  forfeitOf,
  isUnbegun,
  pairing,
  type Sample,
} from '@affine/blocks'
import { registry, SIDES, type Side } from '@affine/envs'
import type { SamplePlace, Settled } from '@affine/settlement'
import { DuelLanes, type KeptLane } from './duel-lanes.ts'
import type { EnvLook } from './env-facts.ts'

/** How often challenges were forfeited, by the names that `forfeitOf` gives the ways. */
export type Forfeits = Readonly<Record<string, number>>

/** How many challenges a miner played, and their results. */
export interface MinerCounts {
  readonly challenges: number
  readonly won: number
  readonly lost: number
  /** Of the lost ones, those in which every reply was legal and in time. */
  readonly outplayed: number
  /** Of the challenges, those in which a reply took more than half of its time. */
  readonly slow: number
  /** Of the challenges, games that were never begun: ties, and nobody's forfeits. */
  readonly unbegun: number
  readonly forfeits: Forfeits
}

/** What a miner did in the epochs of a duel that were read, in the lanes that count. */
export interface MinerStats<Loss> extends MinerCounts {
  /** How many challenges it replied to. */
  readonly answered: number
  readonly envs: Readonly<Record<string, MinerCounts>>
  /** The last challenges of each environment that it lost. */
  readonly losses: readonly (Loss & { readonly epoch: number })[]
}

/** A challenge that a miner lost, the contender's place in a block, and why it was forfeited. */
export interface Lost<Place> {
  readonly pair: ChallengePair
  readonly place: Place
  readonly forfeit: string | undefined
}

/** Which results are counted, and what is kept of lost challenges. */
interface Counting<Loss, Place> {
  /** The miner whose results are counted; if undefined, both miners'. */
  readonly hotkey?: string | undefined
  /** The most lost challenges of an environment that are kept. */
  readonly most: number
  readonly keep: (lost: Lost<Place>) => Loss
}

const COUNTS = ['challenges', 'won', 'lost', 'outplayed', 'slow', 'unbegun'] as const

type Count = (typeof COUNTS)[number]

/** What one side did in one lane. */
type SideCounts<Loss> = Record<Count, number> & {
  readonly forfeits: Record<string, number>
  readonly losses: Loss[]
}

type BothSides<Loss> = Readonly<Record<Side, SideCounts<Loss>>>

/** The verdict of a challenge that a side lost; verdicts are for the contender. */
const LOST_BY: Readonly<Record<Side, ChallengeVerdict>> = { champion: 'win', contender: 'loss' }

/** Counts what the two miners of each duel did, epoch by epoch. */
export class DuelStats<Loss, Place extends SamplePlace = SamplePlace> {
  readonly #counting: Counting<Loss, Place>
  readonly #pairOf = pairing()
  readonly #lanes = new DuelLanes<BothSides<Loss>>(() => ({
    champion: nothing(),
    contender: nothing(),
  }))

  constructor(counting: Counting<Loss, Place>) {
    this.#counting = counting
  }

  /** Adds a sample of the epoch under way: those of a lane in their order, one lane at a time. */
  add(sample: Sample, place: Place): void {
    const { hotkey } = this.#counting
    const pair = this.#pairOf(sample)
    if (pair === undefined) return
    for (const side of SIDES) {
      if (hotkey === undefined || pair[side].miner === hotkey)
        this.#count(side, { pair, place, forfeit: forfeitOf(pair, side) })
    }
  }

  #count(side: Side, lost: Lost<Place>): void {
    const { most, keep } = this.#counting
    const { pair, place, forfeit } = lost
    const counts = this.#lanes.laneOf(pair, place)[side]
    counts.challenges += 1
    if (isUnbegun(pair)) counts.unbegun += 1
    if (isSlow(pair, side)) counts.slow += 1
    if (forfeit !== undefined) counts.forfeits[forfeit] = (counts.forfeits[forfeit] ?? 0) + 1
    const { champion, contender } = pair
    const rewards = { champion: champion.reward, contender: contender.reward }
    const verdict = challengeVerdict(rewards)
    if (verdict === 'tie') return
    if (verdict !== LOST_BY[side]) {
      counts.won += 1
      return
    }
    counts.lost += 1
    if (forfeit === undefined) counts.outplayed += 1
    counts.losses.push(keep(lost))
    if (counts.losses.length > most) counts.losses.shift()
  }

  /** Ends the epoch under way. */
  finish(settled: Settled): void {
    this.#lanes.finish(settled)
  }

  /** The last look at each environment of a contender's duel of the last epoch. */
  looksOf(contender: string): readonly EnvLook[] {
    return this.#lanes.looksOf(contender)
  }

  /** What a side did in a contender's duel of the last epoch, as far as it was read. */
  of(side: Side, contender: string): MinerStats<Loss> {
    const lanes = this.#lanes.counted(contender)
    const sum = sumOf(lanes, side)
    const names = [...new Set(lanes.map(({ env }) => env))].sort()
    const byEnv = names.map((env) => [env, lanes.filter((lane) => lane.env === env)] as const)
    return {
      ...sum,
      answered: sum.challenges - sum.unbegun - (sum.forfeits['no-reply'] ?? 0),
      envs: Object.fromEntries(byEnv.map(([env, own]) => [env, sumOf(own, side)])),
      losses: byEnv.flatMap(([, own]) => lossesIn(own, side).slice(-this.#counting.most)),
    }
  }
}

type CountedLanes<Loss> = readonly KeptLane<BothSides<Loss>>[]

function isSlow(pair: ChallengePair, side: Side): boolean {
  const { replyMs = Number.POSITIVE_INFINITY } = registry.get(pair.env) ?? {}
  return pair[side].messages.some(({ ms = 0 }) => 2 * ms > replyMs)
}

const nothing = <Loss>(): SideCounts<Loss> => {
  const zeros = Object.fromEntries(COUNTS.map((what) => [what, 0])) as Record<Count, number>
  return { ...zeros, forfeits: {}, losses: [] }
}

function sumOf<Loss>(lanes: CountedLanes<Loss>, side: Side): MinerCounts {
  const { losses: _, ...sum } = nothing()
  for (const { kept } of lanes) {
    for (const what of COUNTS) sum[what] += kept[side][what]
    for (const [way, count] of Object.entries(kept[side].forfeits))
      sum.forfeits[way] = (sum.forfeits[way] ?? 0) + count
  }
  return sum
}

const lossesIn = <Loss>(lanes: CountedLanes<Loss>, side: Side) =>
  lanes.flatMap(({ epoch, kept }) => kept[side].losses.map((loss) => ({ epoch, ...loss })))
