import type { Sample } from '@affine/blocks'
import type { Duel } from '@affine/duel'
import { type Asked, withoutReplies } from '@affine/miners'
import type { LaneJournal } from './lane-journal.ts'
import type { Setup } from './setup.ts'

/** Whose deployments are looked at again, by what list, at the end of which sampling. */
interface LookedAt extends Pick<Setup, 'hasChanged'>, Pick<Asked, 'templates'> {
  readonly duel: Pick<Duel, 'champion' | 'contender'>
  readonly deadline: AbortSignal
}

/**
 * The samples that a lane is made of once both miners' deployments have been looked at again: a
 * miner whose deployment was changed in the epoch has no replies. What was found is on disk first,
 * so that the lane comes out alike after a crash. Protocol §5.4.
 */
export async function lookAgain(
  samples: readonly Sample[],
  task: LookedAt,
  journal: LaneJournal,
): Promise<readonly Sample[]> {
  const changed = journal.changed ?? (await changedMiners(task))
  if (journal.changed === undefined && task.hasChanged) await journal.appendChanged(changed)
  if (changed.length === 0) return samples
  return Promise.all(samples.map((sample) => withoutReplies(sample, changed)))
}

/** The hotkeys of those whose deployments were changed. */
async function changedMiners({
  duel,
  templates,
  deadline,
  hasChanged,
}: LookedAt): Promise<string[]> {
  if (hasChanged === undefined) return []
  const looked = [duel.champion, duel.contender].map(async (miner) => {
    const isChanged = await hasChanged({ ...miner, templates }, deadline)
    return isChanged ? [miner.hotkey] : []
  })
  return (await Promise.all(looked)).flat()
}
