import type { State } from '@affine/duel'
import { type RecomputeOptions, readStartState, type Subnet } from '@affine/settlement'
import { createBucketOpener, expectBuckets } from '@affine/settlement/node'
import { chainCommand, expandPath, FIRST_EPOCH, whole } from '@affine/terminal'
import { Option } from '@commander-js/extra-typings'

export type ReplayOptions = { buckets?: string | undefined; last?: number | undefined }

export const BUCKETS = new Option(
  '--buckets <folder|url>',
  'the folder or URL of the buckets announced by name; not needed for https buckets',
)
  .env('AFFINE_BUCKETS')
  .argParser((path) => expandPath(path, 'buckets') || undefined)

export const createReplayCommand = (name: string, examples: string) =>
  chainCommand(name, examples)
    .addOption(FIRST_EPOCH)
    .addOption(BUCKETS)
    .option(
      '--last <epochs>',
      'replay at least this number of newest epochs, from a state that more than half of the ' +
        'stake attested (default: all epochs)',
      whole(1, 1e6),
    )

/**
 * Returns the arguments with which `recompute` replays the closed epochs of a subnet: at least the
 * newest `last` epochs, by default all. Copies of blocks are not compared.
 */
export async function prepareReplay(
  subnet: Subnet,
  { buckets, last = Number.POSITIVE_INFINITY }: ReplayOptions,
  onSample?: RecomputeOptions['onSample'],
): Promise<RecomputeOptions & { readonly from: State }> {
  await expectBuckets(subnet, buckets)
  const { chain, network } = subnet
  const openBucket = createBucketOpener(buckets, network)
  const data = { chain, network, openBucket, compare: false, onSample }
  return { ...data, from: await readStartState(data, last) }
}
