import { own } from '@affine/prng'
import { type Contest, type Look, lookAt } from '@affine/wilson'
import { tabulate } from './own-keys.ts'

/** Challenges played, and those the contender won and lost. The rest are ties. */
export type Counts = {
  readonly wins: number
  readonly losses: number
  readonly played: number
}

/**
 * What one validator's lane saw in one environment, with the points of each miner, a challenge
 * giving 10^6 at most. Protocol §8.4.
 */
export type Tally = Counts & {
  readonly contenderPoints: number
  readonly championPoints: number
}

/** By hotkey: the lanes of one epoch, or sums of several. */
export type Tallies = Readonly<Record<string, Tally>>

/** A tally as a state keeps it: what was played is the quota. Protocol §9.1. */
export type LaneTally = readonly [
  wins: number,
  losses: number,
  contenderPoints: number,
  championPoints: number,
]

/** The tally of a lane that played so many challenges. */
export function toTally(
  [wins, losses, contenderPoints, championPoints]: LaneTally,
  played: number,
): Tally {
  return { wins, losses, played, contenderPoints, championPoints }
}

/** Each validator's sum over these epochs, by hotkey ascending. Protocol §8.4. */
export function sumTallies(epochs: readonly Tallies[]): Tallies {
  const hotkeys = [...new Set(epochs.flatMap(Object.keys))].sort()
  return tabulate(hotkeys, (hotkey) =>
    epochs.map((lanes) => own(lanes, hotkey)).reduce<Tally>(addTallies, NO_TALLY),
  )
}

/** What a lane that played nothing has seen. */
const NO_TALLY: Tally = toTally([0, 0, 0, 0], 0)

function addTallies(a: Tally, b: Tally = NO_TALLY): Tally {
  const sum = (of: keyof Tally): number => a[of] + b[of]
  const points = [sum('contenderPoints'), sum('championPoints')] as const
  return toTally([sum('wins'), sum('losses'), ...points], sum('played'))
}

/** Can so many challenges have come to this? Protocol §9.4. */
export function isWithinQuota(tally: LaneTally | undefined, quota: number): boolean {
  if (tally === undefined) return false
  const [wins, losses, ...points] = tally
  const left = points.map((each) => quota * 1_000_000 - each)
  const counts = [wins, losses, quota - wins - losses, ...points, ...left]
  return counts.every((count) => Number.isInteger(count) && count >= 0)
}

/**
 * A tally that ends at its verdict: nothing is played after it. `trials` are the decisive
 * challenges, `wins + losses`.
 */
export type Match = Counts & {
  readonly ties: number
  readonly trials: number
  readonly verdict: Look
}

/** A match before its first challenge. */
export const NO_MATCH: Match = {
  wins: 0,
  losses: 0,
  played: 0,
  ties: 0,
  trials: 0,
  verdict: 'continue',
}

/**
 * The match after one more challenge of one environment in one lane, nothing trimmed. A tie is not
 * a trial; a match that has its verdict stays as it is. Challenges are added in the order of their
 * index, never of arrival: one that answers slowly answers differently. Protocol §10.
 *
 * @throws RangeError unless 0 < ratioPpm < 1_000_000.
 */
export function addChallenge(
  match: Match,
  challenge: 'win' | 'loss' | 'tie',
  { ratioPpm, rule }: Contest,
): Match {
  if (match.verdict !== 'continue') return match
  const wins = match.wins + Number(challenge === 'win')
  const losses = match.losses + Number(challenge === 'loss')
  const ties = match.ties + Number(challenge === 'tie')
  const trials = wins + losses
  const verdict = lookAt({ wins, trials, ratioPpm, rule })
  return { wins, losses, ties, trials, played: trials + ties, verdict }
}
