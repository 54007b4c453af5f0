import { stateRoot } from '@affine/duel'
import type { RecomputedEpoch } from '@affine/settlement'

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
  /**
   * `FLAWED` if a flaw was found. `COMPARED_HOLDS` if no flaw was found, but some copies were not
   * compared.
   */
  readonly conclusion: 'HOLDS' | 'COMPARED_HOLDS' | 'FLAWED'
}

/** Returns the result after one more epoch. `flawless` is the conclusion if no flaw is found. */
export function addToVerification(
  before: Verification | undefined,
  settled: RecomputedEpoch,
  flawless: Exclude<Verification['conclusion'], 'FLAWED'>,
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
    conclusion: flaws > 0 ? 'FLAWED' : flawless,
  }
}
