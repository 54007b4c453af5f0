import { own } from '@affine/prng'
import { type Contest, evaluate, type InterimResult } from '@affine/wilson'
import { tabulate } from './own-keys.ts'

/** The contender's wins and losses, and the number of challenges played. The rest are ties. */
export type Counts = Readonly<Record<'wins' | 'losses' | 'played', number>>

/**
 * The result of one validator's lane in one environment, with the points of each miner: at most
 * 10^6 per challenge. Protocol §8.4.
 */
export type Tally = Counts & Readonly<Record<'contenderPoints' | 'championPoints', number>>

/** Tallies of one epoch, or sums over several epochs, by validator's hotkey. */
export type Tallies = Readonly<Record<string, Tally>>

/** A tally in a state. The challenges played are the quota. Protocol §9.1. */
export type LaneTally = readonly [
  wins: number,
  losses: number,
  contenderPoints: number,
  championPoints: number,
]

export function toTally(
  [wins, losses, contenderPoints, championPoints]: LaneTally,
  played: number,
): Tally {
  return { wins, losses, played, contenderPoints, championPoints }
}

/** Returns each validator's sum over the epochs, ascending by hotkey. Protocol §8.4. */
export function sumTallies(epochs: readonly Tallies[]): Tallies {
  const hotkeys = [...new Set(epochs.flatMap(Object.keys))].sort()
  return tabulate(hotkeys, (hotkey) =>
    epochs.map((lanes) => own(lanes, hotkey)).reduce<Tally>(addTallies, NO_TALLY),
  )
}

const NO_TALLY: Tally = toTally([0, 0, 0, 0], 0)

function addTallies(a: Tally, b: Tally = NO_TALLY): Tally {
  const sum = (field: keyof Tally): number => a[field] + b[field]
  const points = [sum('contenderPoints'), sum('championPoints')] as const
  return toTally([sum('wins'), sum('losses'), ...points], sum('played'))
}

/** Reports whether `quota` challenges can give this tally. Protocol §9.4. */
export function isWithinQuota(tally: LaneTally | undefined, quota: number): boolean {
  if (tally === undefined) return false
  const [wins, losses, ...points] = tally
  const left = points.map((each) => quota * 1_000_000 - each)
  const counts = [wins, losses, quota - wins - losses, ...points, ...left]
  return counts.every((count) => Number.isInteger(count) && count >= 0)
}

/**
 * The tally of one lane in one environment, unchanged after its verdict. `trials` are the decisive
 * challenges, `wins + losses`.
 */
export type Match = Counts & {
  readonly ties: number
  readonly trials: number
  readonly verdict: InterimResult
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
 * Returns the match after one more challenge, without trimming. A tie is not a trial. A match with
 * a verdict stays unchanged. Add challenges in the order of their index, not of arrival, which
 * depends on the answers. Protocol §10.
 *
 * @throws RangeError unless 0 < ratioPpm < 1_000_000, and for an invalid rule: see `evaluate`.
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
  const verdict = evaluate({ wins, trials, ratioPpm, rule })
  return { wins, losses, ties, trials, played: trials + ties, verdict }
}
