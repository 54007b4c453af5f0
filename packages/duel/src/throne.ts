import { own } from '@affine/prng'
import { boundsPpm, leastAbove, PPM } from '@affine/wilson'
import type { Rates, WeightedTally } from './environment-judgement.ts'
import type { DuelReport, Report } from './judgement.ts'
import { areApart, type Share } from './outliers.ts'
import type { Protocol } from './protocol.ts'
import type { State } from './state.ts'
import { type EnvReports, reportOn } from './verdicts.ts'

/** A duel that is won, and what its environments of one player came to, closed ones too. */
export interface WonDuel {
  readonly won: DuelReport
  readonly rated: EnvReports
}

/**
 * Whom an epoch crowns: of those who have won, when all are heard, the best. Protocol §8.11.
 */
export function chooseCrowned(state: State, { frozen, duels }: Report): WonDuel | undefined {
  const won = duels.filter(({ standing }) => standing === 'won')
  const isOpen = duels.some(({ standing }) => standing === 'open')
  const isHeard = ({ epochIndex }: DuelReport) => epochIndex >= state.protocol.duelEpochs
  if (frozen || isOpen || (won.length > 1 && !won.every(isHeard))) return undefined
  return chooseBest(
    won.map((report) => ({ won: report, rated: rateEnvs(state, report) })),
    state.protocol.envs,
  )
}

/**
 * The environments of one player, which count for throne, ratio and record. Not those of two: rates
 * against different opponents do not compare. Protocol §8.10.
 */
export function rateEnvs(state: State, duel: DuelReport): EnvReports {
  const all = Object.entries(state.protocol.envs).filter(([, { players }]) => players === 1)
  return Object.fromEntries(
    all.map(([env]) => [env, own(duel.envs, env) ?? reportOn(env, duel, state, state.protocol)]),
  )
}

/**
 * The one that is better than most others. Ties go to the first in the list, which an original is
 * and its copies are not. Protocol §8.11.
 */
export function chooseBest(
  contenders: readonly WonDuel[],
  envs: Protocol['envs'],
): WonDuel | undefined {
  const ranks = contenders.map((each, i) => ({
    each,
    beaten: contenders.filter((other, j) => {
      const lead = compareRated(each.rated, other.rated, envs)
      return lead > 0 || (lead === 0 && i < j)
    }).length,
  }))
  const [best] = ranks.sort((a, b) => b.beaten - a.beaten)
  return best?.each
}

/**
 * In how many more environments one of two is ahead. If in none, and one of them has not been seen
 * at length, by how much its sum of rates is greater: its lanes say too little for it to be apart.
 * Protocol §8.11.
 */
function compareRated(a: EnvReports, b: EnvReports, envs: Protocol['envs']): number {
  const ahead = (x: EnvReports, y: EnvReports): number =>
    Object.keys(a).filter((env) => isAhead(own(x, env)?.shown, own(y, env)?.shown)).length
  const lead = ahead(a, b) - ahead(b, a)
  if (lead !== 0 || [a, b].every((rated) => isKnown(rated, envs))) return lead
  return sumRates(a) - sumRates(b)
}

/** Has its median lane the most challenges of an epoch or more, in each of these? */
const isKnown = (rated: EnvReports, envs: Protocol['envs']): boolean =>
  Object.entries(rated).every(
    ([env, { shown }]) => shown !== undefined && shown.played >= (own(envs, env)?.quotaMost ?? 0),
  )

const sumRates = (rated: EnvReports): number =>
  Object.values(rated).reduce((sum, { rates }) => sum + rates.contender, 0)

/** Two deviations. Protocol §8.11. */
const APART_Z_SQUARED = 4

/** Are they apart, the first above? Neither is where one of them showed nothing. */
function isAhead(a: Share | undefined, b: Share | undefined): boolean {
  if (a === undefined || b === undefined) return false
  return (
    a.count * b.played > b.count * a.played &&
    areApart(a, b, { zSquared: APART_Z_SQUARED, unit: PPM })
  )
}

/**
 * The ratio an epoch later: the excess over the floor halves in about 14 epochs. Protocol §8.10.
 */
export function decay(ratioPpm: number, { ratioFloorPpm, ratioDecayPpm }: Protocol): number {
  const excess = Math.max(ratioPpm - ratioFloorPpm, 0)
  return ratioFloorPpm + Number((BigInt(excess) * BigInt(ratioDecayPpm)) / 1_000_000n)
}

/** An environment that the contender won. */
export interface WonEnv {
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
export function ratchet(won: readonly WonEnv[], protocol: Protocol): number {
  const zSquaredPpm = protocol.ratchetZSquaredPpm
  const bounds = won.map((each) => {
    const { lower } = boundsPpm({ ...each.tally, zSquaredPpm })
    return Math.min(lower, computeSupport(each))
  })
  const mean = computeGeometricMean(bounds)
  return Math.min(Math.max(mean, protocol.ratioFloorPpm), protocol.ratioCeilingPpm)
}

/**
 * How often, in ppm, one who earns so much would beat the other where just one of them succeeds, if
 * each did so at its rate and by itself. Protocol §8.10.
 */
function computeSupport({ contender, champion }: WonEnv): number {
  const [a, r] = [BigInt(contender), BigInt(champion)]
  const winning = a * (PPM - r)
  const losing = r * (PPM - a)
  if (winning + losing === 0n) return 0
  return Number((PPM * winning) / (winning + losing))
}

/** Of ppm, rounded down; of none 0. */
function computeGeometricMean(bounds: readonly number[]): number {
  if (bounds.length === 0) return 0
  const product = bounds.reduce((soFar, bound) => soFar * BigInt(bound), 1n)
  const isAbove = (root: number): boolean => BigInt(root) ** BigInt(bounds.length) > product
  return leastAbove(0, 1_000_000, isAbove) - 1
}

/**
 * The record with these rates of one who has the throne, where they are higher. Protocol §8.10.
 */
export function raiseRecord(
  record: State['record'],
  rated: EnvReports,
  side: keyof Rates,
): State['record'] {
  const rates = Object.entries(rated).map(([env, { rates }]) => {
    return [env, Math.max(rates[side], own(record, env) ?? 0)] as const
  })
  return { ...record, ...Object.fromEntries(rates) }
}

/** The ratio that a contender has to beat to dethrone the crowned one. Protocol §8.10. */
export function computeRatio(
  { won, rated }: WonDuel,
  record: State['record'],
  protocol: Protocol,
): number {
  const wins = Object.entries(rated).filter(([env]) => own(won.verdicts, env) === 'win')
  const bounds = wins.map(([env, { win, rates }]) => {
    const champion = Math.max(rates.champion, own(record, env) ?? 0)
    return { tally: win, contender: rates.contender, champion }
  })
  return ratchet(bounds, protocol)
}
