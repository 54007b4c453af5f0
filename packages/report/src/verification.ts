import { stateRoot } from '@affine/duel'
import type { Recomputed } from '@affine/settlement'

/** Which copies a run leaves out: none, some of the blocks, or all but the first it reads. */
export type ComparisonGap = 'NONE' | 'SOME' | 'ALL_BUT_ONE'

/** Whether everything holds, only what was compared, or not everything. */
export type Conclusion = 'HOLDS' | 'COMPARED_HOLDS' | 'FLAWED'

/** The result of recomputing epochs in a row. */
export interface Verification {
  /** The epoch that comes next, and the root of the state that governs it. */
  readonly epoch: number
  readonly root: string
  /** A hotkey, or "none". */
  readonly champion: string
  readonly ratio: number
  /** Those of the last epoch. */
  readonly votes: Recomputed['votes']
  /** By validator, the number of epochs in which some of its lanes were set aside. */
  readonly suspect: Readonly<Record<string, number>>
  readonly warnings: number
  readonly flaws: number
  readonly uncompared: ComparisonGap
  readonly conclusion: Conclusion
}

/** Returns the result after one more epoch. */
export function verificationAfter(
  before: Verification | undefined,
  settled: Recomputed,
  uncompared: ComparisonGap,
): Verification {
  const { state, votes, report } = settled
  const suspect = { ...before?.suspect }
  const looks = report.duels.flatMap(({ envs }) => Object.values(envs))
  for (const hotkey of new Set(looks.flatMap(({ setAside }) => setAside)))
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
    conclusion: conclude(flaws, uncompared),
  }
}

/** Returns what can be concluded from the flaws that were found. */
function conclude(flaws: number, uncompared: ComparisonGap): Conclusion {
  if (flaws > 0) return 'FLAWED'
  return uncompared === 'NONE' ? 'HOLDS' : 'COMPARED_HOLDS'
}
