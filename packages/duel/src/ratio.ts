import { boundsPpm, leastAbove, PPM } from '@affine/wilson'
import { own, tabulate } from './own-keys.ts'
import { type Protocol, ruleOf } from './protocol.ts'
import type { Duel, State } from './state.ts'
import { type DuelEpoch, type EnvReport, reportOn, type Winner } from './verdicts.ts'
import type { WeightedTally } from './win.ts'

/**
 * The ratio an epoch later: the excess over the floor halves in about 14 epochs. Protocol §8.10.
 */
export function decay(ratioPpm: number, { ratioFloorPpm, ratioDecayPpm }: Protocol): number {
  const excess = Math.max(ratioPpm - ratioFloorPpm, 0)
  return ratioFloorPpm + Number((BigInt(excess) * BigInt(ratioDecayPpm)) / 1_000_000n)
}

/** An environment that the contender won. */
export interface Won {
  /** Trimmed as for a win. */
  readonly tally: WeightedTally
  /** What the contender earned, and the best that the champion is known for, in ppm. */
  readonly contender: number
  readonly champion: number
}

/**
 * The ratio to beat after a contender won these environments: the geometric mean of their bounds in
 * ppm, rounded down, between the protocol's floor and ceiling. A bound is the tally's lower Wilson
 * bound, so that a lucky 10 of 10 does not lock the throne, and no more than the champion's record
 * supports, so that a champion which throws its duel does not either. Protocol §8.10.
 */
export function ratchet(won: readonly Won[], protocol: Protocol): number {
  const zSquaredPpm = BigInt(protocol.ratchetZSquaredPpm)
  const bounds = won.map((each) => {
    const { lower } = boundsPpm({ ...each.tally, zSquaredPpm })
    return Math.min(lower, supportedBy(each))
  })
  const mean = geometricMean(bounds)
  return Math.min(Math.max(mean, protocol.ratioFloorPpm), protocol.ratioCeilingPpm)
}

/**
 * How often, in ppm, one who earns so much would beat the other where just one of them succeeds, if
 * each did so at its rate and by itself. Protocol §8.10.
 */
function supportedBy({ contender, champion }: Won): number {
  const [a, r] = [BigInt(contender), BigInt(champion)]
  const winning = a * (PPM - r)
  const losing = r * (PPM - a)
  if (winning + losing === 0n) return 0
  return Number((PPM * winning) / (winning + losing))
}

/** Of ppm, rounded down; of none 0. */
function geometricMean(bounds: readonly number[]): number {
  if (bounds.length === 0) return 0
  const product = bounds.reduce((soFar, bound) => soFar * BigInt(bound), 1n)
  const isAbove = (root: number): boolean => BigInt(root) ** BigInt(bounds.length) > product
  return leastAbove(0, 1_000_000, isAbove) - 1
}

/** What environments of a duel came to, those that are closed too. */
export type Reports = Readonly<Record<string, EnvReport>>

/**
 * The environments that count for the ratio and the record, as an epoch that may be the duel's last
 * leaves them: the open ones as they were judged, whose tallies and rates no rule changes. Not
 * those of two players: rates against different opponents do not compare. Protocol §8.10.
 */
export function reportRated(open: Reports, duel: Duel, turn: DuelEpoch): Reports {
  const rule = ruleOf(turn.protocol)
  const all = Object.entries(turn.protocol.envs)
  const envs = all.filter(([, { players }]) => players === 1).map(([env]) => env)
  return tabulate(envs, (env) => own(open, env) ?? reportOn(env, duel, { ...turn, rule }))
}

/** A duel in an epoch, and who has won it by its verdicts or its length. */
export interface DuelEnding {
  readonly duel: Duel
  readonly winner: Winner | undefined
  readonly reports: Reports
}

/** The ratio decays, or rises by the environments that the contender won. Protocol §8.10. */
export function ratioAfter(
  { ratio, record, protocol }: State,
  { duel, winner, reports }: DuelEnding,
): number {
  if (winner !== 'contender') return decay(ratio, protocol)
  const wins = Object.entries(reports).filter(([env]) => own(duel.verdicts, env) === 'win')
  const won = wins.map(([env, { win, rates }]) => {
    const champion = Math.max(rates.champion, own(record, env) ?? 0)
    return { tally: win, contender: rates.contender, champion }
  })
  return ratchet(won, protocol)
}

/** Who of a duel has the throne after it, and whether by its verdicts. */
interface Heir {
  readonly heir: Winner | undefined
  readonly isDethroned: boolean
}

/**
 * The record after a duel: what the contender earned if it won by its verdicts. Else nothing is
 * forgotten, and what was earned by the one that has the throne is added; a throne that is handed
 * over, or empty, keeps its record. Protocol §8.10.
 */
export function recordAfter(
  record: State['record'],
  { heir, isDethroned }: Heir,
  reports: Reports,
): State['record'] {
  if (heir === undefined) return record
  return tabulate(Object.keys(reports), (env) => {
    const earned = own(reports, env)?.rates[heir] ?? 0
    const before = isDethroned ? 0 : (own(record, env) ?? 0)
    return Math.max(earned, before)
  })
}
