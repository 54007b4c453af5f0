import { boundsPpm, leastAbove, PPM } from '@affine/wilson'
import type { WonDuel } from './crowning.ts'
import type { Rates } from './environment-judgement.ts'
import { own } from './own-keys.ts'
import type { Protocol } from './protocol.ts'
import type { State } from './state.ts'
import type { EnvReports } from './verdicts.ts'
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
  const zSquaredPpm = protocol.ratchetZSquaredPpm
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

/**
 * The record with these rates of one who has the throne, where they are higher. Protocol §8.10.
 */
export function withRates(
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
export function ratioAfter(
  { won, rated }: WonDuel,
  record: State['record'],
  protocol: Protocol,
): number {
  const wins = Object.entries(rated).filter(([env]) => own(won.duel.verdicts, env) === 'win')
  const bounds = wins.map(([env, { win, rates }]) => {
    const champion = Math.max(rates.champion, own(record, env) ?? 0)
    return { tally: win, contender: rates.contender, champion }
  })
  return ratchet(bounds, protocol)
}
