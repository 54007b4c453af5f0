import type { Sample } from '@affine/blocks'
import type { EpochResult, SamplePlace } from '@affine/settlement'
import { isCounted } from './env-facts.ts'

/** Reason that a sample does not count. */
export type UncountedReason = 'FROZEN' | 'NOT_ACCEPTED' | 'SET_ASIDE' | 'NO_WEIGHT'

/**
 * Returns the reason that a sample does not count in its own epoch; undefined if it counts in any
 * duel. A later epoch may set its lane aside, or count it again. Protocol §8.4–8.6.
 */
export function explainUncounted(
  { before: { champion, voters: weights }, report }: EpochResult,
  sample: Sample,
  { validator }: Pick<SamplePlace, 'validator'>,
): UncountedReason | undefined {
  if (report.frozen) return 'FROZEN'
  if (!report.lanes[validator]?.accepted) return 'NOT_ACCEPTED'
  const miner = 'miner' in sample ? sample.miner : sample.contender.miner
  const looks = report.duels
    .filter(({ contender }) => [contender.hotkey, champion?.hotkey].includes(miner))
    .flatMap(({ envs }) => envs[sample.env] ?? [])
  if (looks.some((look) => isCounted({ report: look, weights }, validator))) return undefined
  return (weights[validator] ?? 0) > 0 ? 'SET_ASIDE' : 'NO_WEIGHT'
}
