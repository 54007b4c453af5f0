import type { Sample } from '@affine/blocks'
import type { SamplePlace, Settled } from '@affine/settlement'
import { doesCount } from './env-facts.ts'

/** Whether a sample counts in its epoch, and if not, why. */
export type SampleUse =
  | { readonly counts: true }
  | { readonly counts: false; readonly why: 'FROZEN' | 'NOT_ACCEPTED' | 'SET_ASIDE' | 'NO_WEIGHT' }

const unused = (why: Extract<SampleUse, { counts: false }>['why']): SampleUse => ({
  counts: false,
  why,
})

/**
 * Returns whether a sample counts in the epoch that it was taken in, in any of the duels it is
 * part of. A later epoch of the duel may set its lane aside, or count it again. Protocol §8.4–8.6.
 */
export function sampleUse(
  { before, report }: Settled,
  sample: Sample,
  { validator }: Pick<SamplePlace, 'validator'>,
): SampleUse {
  if (report.frozen) return unused('FROZEN')
  if (!report.lanes[validator]?.accepted) return unused('NOT_ACCEPTED')
  const miner = 'miner' in sample ? sample.miner : sample.contender.miner
  const isChampion = miner === before.champion?.hotkey
  const looks = report.duels
    .filter(({ contender }) => isChampion || contender.hotkey === miner)
    .flatMap(({ envs }) => envs[sample.env] ?? [])
  const isUsed = looks.some((look) =>
    doesCount({ report: look, weights: before.voters }, validator),
  )
  if (isUsed) return { counts: true }
  return unused((before.voters[validator] ?? 0) > 0 ? 'SET_ASIDE' : 'NO_WEIGHT')
}
