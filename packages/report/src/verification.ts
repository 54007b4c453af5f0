import { stateRoot } from '@affine/duel'
import type { RecomputedEpoch } from '@affine/settlement'

/** The copies that a run does not compare: `NONE`, or `SOME` of each block. */
type ComparisonGap = keyof typeof FLAWLESS

/** The result of recomputing consecutive epochs. */
export interface Verification {
  /** Epoch after the last recomputed epoch. */
  readonly epoch: number
  /** Root of the state that governs `epoch`. */
  readonly root: string
  /** Hotkey of the champion of `epoch`, or "none". */
  readonly champion: string
  /** Ratio to beat in `epoch`, in ppm. */
  readonly ratio: number
  /** Weights on chain at the end of the last recomputed epoch. */
  readonly votes: RecomputedEpoch['votes']
  /** Number of epochs in which a validator's lane was an outlier, by validator. */
  readonly suspect: Readonly<Record<string, number>>
  readonly warnings: number
  readonly flaws: number
  readonly uncompared: ComparisonGap
  /**
   * `FLAWED` if a flaw was found. `COMPARED_HOLDS` if no flaw was found, but some copies were not
   * compared.
   */
  readonly conclusion: 'HOLDS' | 'COMPARED_HOLDS' | 'FLAWED'
}

/** Returns the result after one more epoch. */
export function addToVerification(
  before: Verification | undefined,
  settled: RecomputedEpoch,
  uncompared: ComparisonGap,
): Verification {
  const { state, votes, report } = settled
  const suspect = { ...before?.suspect }
  const reports = report.duels.flatMap(({ envs }) => Object.values(envs))
  for (const hotkey of new Set(reports.flatMap(({ setAside }) => setAside)))
    suspect[hotkey] = (suspect[hotkey] ?? 0) + 1
  const flaws = (before?.flaws ?? 0) + settled.flaws.length
  return {
    epoch: state.epoch,
    root: stateRoot(state),
    champion: state.champion?.hotkey ?? 'none',
    ratio: state.ratio,
    votes,
    suspect,
    warnings: (before?.warnings ?? 0) + settled.warnings.length,
    flaws,
    uncompared,
    conclusion: flaws > 0 ? 'FLAWED' : FLAWLESS[uncompared],
  }
}

const FLAWLESS = { NONE: 'HOLDS', SOME: 'COMPARED_HOLDS' } as const
