import { PROTOCOL } from '@affine/duel'
import { boundaries, calibrate, crossing, normalQuantile, type Rule, walk } from '@affine/wilson'

/** What a reader may try the rule with. */
export interface Tried {
  /** How often the contender wins a decisive challenge, and what it has to beat. */
  readonly p: number
  readonly ratioPpm: number
  readonly alpha: number
  readonly cap: number
}

/** A point of a line. */
export type Point = readonly [x: number, y: number]

/** How a rule behaves with a contender. */
interface Behaviour {
  readonly z: number
  readonly win: number
  readonly medianTrials: number
  readonly trials95: number
  /** Probability that a contender exactly at the ratio ever reaches a win, holds left out. */
  readonly falseWin: number
}

/** The rule with these numbers, drawn. */
export interface RuleAccount {
  readonly calibrated: Behaviour
  /** The z of a single look, looked at after every challenge. */
  readonly naive: Behaviour
  /** Wins after so many challenges, as a share of them. */
  readonly winLine: readonly Point[]
  readonly naiveLine: readonly Point[]
  readonly holdLine: readonly Point[]
  /** Probability to win, by p. */
  readonly power: readonly Point[]
  /** Of the number of challenges until a verdict, won and held, by class of challenges. */
  readonly wins: readonly Point[]
  readonly holds: readonly Point[]
}

const MIN_TRIALS = 10
const CLASSES = 60
const POINTS = 160

/** @throws RangeError for numbers that `calibrate` or `walk` refuses. */
export function ruleAccount({ p, ratioPpm, alpha, cap }: Tried): RuleAccount {
  const ruleAt = (z: number): Rule => {
    const zSquaredPpm = BigInt(Math.round(z * z * 1_000_000))
    return { cap, minTrials: MIN_TRIALS, zSquaredPpm, ...holdLineOf(cap) }
  }
  const behave = (z: number): Behaviour => {
    const rule = ruleAt(z)
    const { win, medianTrials, trials95 } = walk({ p, ratioPpm, rule })
    const falseWin = crossing({ p: ratioPpm / 1e6, ratioPpm, rule })
    return { z, win, medianTrials, trials95, falseWin }
  }
  const calibrated = behave(calibrate({ alpha, cap, minTrials: MIN_TRIALS }))
  const naive = behave(normalQuantile(1 - alpha))
  const rule = ruleAt(calibrated.z)
  const { winAt, holdAt } = walk({ p, ratioPpm, rule })
  const { winFrom, holdUpTo } = boundaries({ ratioPpm, rule })
  return {
    calibrated,
    naive,
    winLine: lineOf(winFrom),
    naiveLine: lineOf(boundaries({ ratioPpm, rule: ruleAt(naive.z) }).winFrom),
    holdLine: lineOf(holdUpTo),
    power: powerOf(ratioPpm, rule),
    wins: classesOf(winAt),
    holds: classesOf(holdAt),
  }
}

/**
 * The line of a hold, in proportion to the spread of so many challenges: at the caps of the main
 * network and of a local one it is theirs.
 */
function holdLineOf(cap: number): Pick<Rule, 'holdOffset' | 'holdSlopePpm'> {
  const spread = Math.sqrt(cap / PROTOCOL.cap)
  return {
    holdOffset: Math.round(PROTOCOL.holdOffset * spread),
    holdSlopePpm: 100 * Math.round(PROTOCOL.holdSlopePpm / 100 / spread),
  }
}

/** A boundary as a share of the challenges, where it is one, at points that thin out. */
function lineOf(boundary: Int32Array): readonly Point[] {
  const cap = boundary.length - 1
  const points: Point[] = []
  let last = 0
  for (let i = 0; i <= POINTS; i++) {
    const n = Math.round(MIN_TRIALS * (cap / MIN_TRIALS) ** (i / POINTS))
    const wins = boundary[n] ?? 0
    if (n > last && wins >= 0 && wins <= n) points.push([n, wins / n])
    last = n
  }
  return points
}

function powerOf(ratioPpm: number, rule: Rule): readonly Point[] {
  const from = Math.max(0.02, ratioPpm / 1e6 - 0.15)
  const to = Math.min(0.98, ratioPpm / 1e6 + 0.2)
  return Array.from({ length: 36 }, (_, i): Point => {
    const p = from + ((to - from) * i) / 35
    return [p, walk({ p, ratioPpm, rule }).win]
  })
}

/** Sums over classes of the same width; each stands at its last number of challenges. */
function classesOf(shares: Float64Array): readonly Point[] {
  const width = Math.max(1, Math.ceil((shares.length - 1) / CLASSES))
  const points: Point[] = []
  for (let n = 1; n < shares.length; n += width) {
    const sum = shares.subarray(n, n + width).reduce((so, share) => so + share, 0)
    points.push([Math.min(n + width - 1, shares.length - 1), sum])
  }
  return points
}
