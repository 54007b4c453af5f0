import { PPM } from '@affine/wilson'
import type { JudgedDuel, Judgement } from './judgement.ts'
import { areApart, type Share } from './outliers.ts'
import { own } from './own-keys.ts'
import type { State } from './state.ts'
import { type EnvReports, reportOn } from './verdicts.ts'

/** A duel that is won, and what its environments of one player came to, closed ones too. */
export interface WonDuel {
  readonly won: JudgedDuel
  readonly rated: EnvReports
}

/**
 * Whom an epoch crowns: of those who have won, when all are heard, the best. Protocol §8.11.
 */
export function crownedIn(state: State, { frozen, duels }: Judgement): WonDuel | undefined {
  const won = duels.filter(({ standing }) => standing === 'won')
  const isOpen = duels.some(({ standing }) => standing === 'open')
  const isHeard = ({ epochIndex }: JudgedDuel) => epochIndex >= state.protocol.duelEpochs
  if (frozen || isOpen || (won.length > 1 && !won.every(isHeard))) return undefined
  return bestOf(won.map((report) => ({ won: report, rated: ratedIn(state, report) })))
}

/**
 * The environments of one player, which count for throne, ratio and record. Not those of two: rates
 * against different opponents do not compare. Protocol §8.10.
 */
export function ratedIn(state: State, { duel, envs }: JudgedDuel): EnvReports {
  const all = Object.entries(state.protocol.envs).filter(([, { players }]) => players === 1)
  return Object.fromEntries(
    all.map(([env]) => [env, own(envs, env) ?? reportOn(env, duel, state, state.protocol)]),
  )
}

/** The one that is better than most others; of equal ones the first by rates, then in the list. */
export function bestOf(contenders: readonly WonDuel[]): WonDuel | undefined {
  const ranks = contenders.map((each) => ({
    each,
    beaten: contenders.filter((other) => isBetter(each.rated, other.rated)).length,
    rates: ratesOf(each.rated),
  }))
  const [best] = ranks.sort((a, b) => b.beaten - a.beaten || b.rates - a.rates)
  return best?.each
}

const ratesOf = (rated: EnvReports): number =>
  Object.values(rated).reduce((sum, { rates }) => sum + rates.contender, 0)

/** Ahead in more environments; if in as many, by the sum of the rates. Protocol §8.11. */
function isBetter(a: EnvReports, b: EnvReports): boolean {
  const envs = Object.keys(a)
  const ahead = (x: EnvReports, y: EnvReports): number =>
    envs.filter((env) => isAhead(own(x, env)?.shown, own(y, env)?.shown)).length
  const lead = ahead(a, b) - ahead(b, a)
  return lead > 0 || (lead === 0 && ratesOf(a) > ratesOf(b))
}

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
