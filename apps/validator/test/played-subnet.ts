import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { LocalChain } from '@affine/chain'
import {
  describeEpoch,
  type Line,
  nameHotkeysBy,
  shortenHotkey,
  summariseEpoch,
} from '@affine/report'
import { LOCAL_NETWORK, type RecomputedEpoch, recompute } from '@affine/settlement'
import { createBucketOpener } from '@affine/settlement/node'
import { onceARun } from '../../../test/once-a-run.ts'
import { formatIntro, formatOutcome } from '../src/commands/demo/story.ts'
import {
  createParticipants,
  mapNames,
  type Participants,
  runSubnet,
} from '../src/commands/demo/subnet.ts'

const all = createParticipants('a subnet for the tests')
/** The members of the demo without `copy`. `stronger` replaces the champion `veteran`; `weaker` loses its duel. */
export const PARTICIPANTS: Participants = {
  ...all,
  miners: all.miners.filter(({ name }) => name !== 'copy'),
}
const names = mapNames(PARTICIPANTS)

/** Returns the hotkey of a member; '' if there is none. */
export const hotkeyOf = (name: string): string =>
  Object.keys(names).find((hotkey) => names[hotkey] === name) ?? ''

/** Returns a text with names instead of hotkeys, full or shortened. */
export const named = (text: string): string =>
  Object.entries(names).reduce(
    (text, [hotkey, name]) => text.replaceAll(hotkey, name).replaceAll(shortenHotkey(hotkey), name),
    text,
  )

/** Recomputes every epoch of a subnet whose files are in a folder. */
export async function recomputeIn(
  folder: string,
  options: Partial<Parameters<typeof recompute>[0]> = {},
): Promise<readonly RecomputedEpoch[]> {
  const chain = LocalChain.import(await readFile(join(folder, 'chain.json'), 'utf8'))
  const openBucket = createBucketOpener(join(folder, 'buckets'))
  const epochs: RecomputedEpoch[] = []
  for await (const epoch of recompute({ chain, network: LOCAL_NETWORK, openBucket, ...options }))
    epochs.push(epoch)
  return epochs
}

/** Returns the story that `af demo` prints about these epochs. */
export const formatStory = (
  epochs: readonly RecomputedEpoch[],
  seed = all.seed,
): readonly Line[] => {
  const nameOf = nameHotkeysBy(names)
  const summaries = epochs.map((each) => summariseEpoch(describeEpoch(each), nameOf))
  return [formatIntro({ ...PARTICIPANTS, seed }), ...summaries, ...formatOutcome(epochs, nameOf)]
}

/**
 * Returns the files of a subnet of PARTICIPANTS, which is played once in each run of the tests.
 * Tests share the files and must not change them.
 */
export async function playSubnetOnce() {
  const folder = await onceARun('subnet', async (out) => {
    await runSubnet(PARTICIPANTS, out, () => {})
  })
  const chainFile = join(folder, 'chain.json')
  const [buckets, chainExport] = [join(folder, 'buckets'), await readFile(chainFile, 'utf8')]
  return { folder, buckets, chainFile, chainExport }
}
