import { own } from '@affine/prng'
import { boundsPpm, leastAbove, PPM } from '@affine/wilson'
import { areApart, type Rates, type Share, type WeightedTally } from './environment-judgement.ts'
import type { DuelReport, Report } from './judgement.ts'
import { mapValues } from './own-keys.ts'
import type { Protocol } from './protocol.ts'
import type { State } from './state.ts'
import { type EnvReports, reportOn } from './verdicts.ts'

/** A won duel, and its results in every one-player environment. */
export interface WonDuel {
  readonly won: DuelReport
  readonly rated: EnvReports
}

/**
 * Returns the best of the won duels. Undefined in a frozen epoch, while a duel is open, and while
 * one of several won duels has epochs left. Protocol §8.11.
 */
export function crown(state: State, { frozen, duels }: Report): WonDuel | undefined {
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
 * Returns a duel's results in the one-player environments, which count for crowning, ratio and
 * record. Rates in games depend on the opponent. Protocol §8.10.
 */
export function rateEnvs(state: State, duel: DuelReport): EnvReports {
  const all = Object.entries(state.protocol.envs).filter(([, { players }]) => players === 1)
  return Object.fromEntries(
    all.map(([env]) => [env, own(duel.envs, env) ?? reportOn(env, duel, state, state.protocol)]),
  )
}

/**
 * Returns the contender that is better than the most others. Ties go to the first in the list, so
 * an original precedes its copies. Protocol §8.11.
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
 * Returns in how many more environments the first of two contenders is ahead. If both are ahead in
 * equally many, and one has played too little for a difference to show, returns the difference of
 * their sums of rates. Protocol §8.11.
 */
function compareRated(a: EnvReports, b: EnvReports, envs: Protocol['envs']): number {
  const ahead = (x: EnvReports, y: EnvReports): number =>
    Object.keys(a).filter((env) => isAhead(own(x, env)?.shown, own(y, env)?.shown)).length
  const lead = ahead(a, b) - ahead(b, a)
  if (lead !== 0 || [a, b].every((rated) => isKnown(rated, envs))) return lead
  return sumRates(a) - sumRates(b)
}

/** Reports whether the median lane has at least `quotaMost` challenges in each environment. */
const isKnown = (rated: EnvReports, envs: Protocol['envs']): boolean =>
  Object.entries(rated).every(
    ([env, { shown }]) => shown !== undefined && shown.played >= (own(envs, env)?.quotaMost ?? 0),
  )

const sumRates = (rated: EnvReports): number =>
  Object.values(rated).reduce((sum, { rates }) => sum + rates.contender, 0)

/** z² of two standard deviations. Protocol §8.11. */
const APART_Z_SQUARED = 4

/** Reports whether the first share is above the second by more than chance. */
function isAhead(a: Share | undefined, b: Share | undefined): boolean {
  if (a === undefined || b === undefined) return false
  return (
    a.count * b.played > b.count * a.played &&
    areApart(a, b, { zSquared: APART_Z_SQUARED, unit: PPM })
  )
}

/**
 * Returns the ratio an epoch later: its excess over the floor halves in about 14 epochs. Protocol
 * §8.10.
 */
export function decay(ratioPpm: number, { ratioFloorPpm, ratioDecayPpm }: Protocol): number {
  const excess = Math.max(ratioPpm - ratioFloorPpm, 0)
  return ratioFloorPpm + Number((BigInt(excess) * BigInt(ratioDecayPpm)) / 1_000_000n)
}

/** An environment that the contender won. */
export interface WonEnv {
  /** Tally trimmed for a win. */
  readonly tally: WeightedTally
  /** Rates in ppm; the champion's is the larger of its rate in the duel and the throne's record. */
  readonly contender: number
  readonly champion: number
}

/**
 * Returns the ratio to beat after a contender won these environments: the geometric mean of their
 * bounds in ppm, rounded down, between the protocol's floor and ceiling. A bound is the smaller of
 * two numbers, so that the ratio is not too high for everyone: the tally's lower Wilson bound, in
 * case of a lucky 10 of 10, and the share that the rates support, in case the champion lost on
 * purpose. Protocol §8.10.
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
 * Returns the contender's expected share, in ppm, of the challenges in which exactly one of the two
 * succeeds, if they succeed independently at these rates. Protocol §8.10.
 */
function computeSupport({ contender, champion }: WonEnv): number {
  const [a, r] = [BigInt(contender), BigInt(champion)]
  const winning = a * (PPM - r)
  const losing = r * (PPM - a)
  if (winning + losing === 0n) return 0
  return Number((PPM * winning) / (winning + losing))
}

/** Returns the geometric mean in ppm, rounded down; 0 without a bound. */
function computeGeometricMean(bounds: readonly number[]): number {
  if (bounds.length === 0) return 0
  const product = bounds.reduce((soFar, bound) => soFar * BigInt(bound), 1n)
  const isAbove = (root: number): boolean => BigInt(root) ** BigInt(bounds.length) > product
  return leastAbove(0, 1_000_000, isAbove) - 1
}

/** Returns the record, raised to the rates of one side in `rated`. Protocol §8.10. */
export function raiseRecord(
  record: State['record'],
  rated: EnvReports,
  side: keyof Rates,
): State['record'] {
  const raised = mapValues(rated, ({ rates }, env) => Math.max(rates[side], own(record, env) ?? 0))
  return { ...record, ...raised }
}

/** Returns the ratio to beat after this crowning. Protocol §8.10. */
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
