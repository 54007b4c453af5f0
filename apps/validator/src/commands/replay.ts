import type { State } from '@affine/duel'
import { type RecomputeOptions, readersState, type Subnet } from '@affine/settlement'
import { bucketsIn, expectBuckets } from '@affine/settlement/node'
import { type ChainOptions, chainCommand, FIRST_EPOCH, whole, wholePath } from '@affine/terminal'
import { type Command, Option } from '@commander-js/extra-typings'

/** Which epochs are replayed, and from which buckets. */
export type ReplayOptions = { buckets?: string | undefined; last?: number | undefined }

type Buckets = Option<'--buckets <folder|url>', undefined, undefined, string>

export const BUCKETS: Buckets = new Option(
  '--buckets <folder|url>',
  'the folder or URL that holds the buckets announced by name; not needed for https buckets',
)
  .env('AFFINE_BUCKETS')
  .argParser((path) => wholePath(path, 'buckets'))

/** A command that replays a subnet from its public data. */
export const replayCommand = (name: string): Command<[], ChainOptions & ReplayOptions> =>
  chainCommand(name)
    .addOption(FIRST_EPOCH)
    .addOption(BUCKETS)
    .option(
      '--last <epochs>',
      'replay only this number of newest epochs, from the state that more than half of the stake ' +
        'attested (default: all epochs)',
      whole(1, 1e6),
    )

/**
 * What `recompute` needs to replay the epochs that a subnet's chain has closed: the `last` ones, or
 * all of them. Copies of blocks are not compared.
 */
export async function replayOf(
  subnet: Subnet,
  { buckets, last = Number.POSITIVE_INFINITY }: ReplayOptions,
  onSample?: RecomputeOptions['onSample'],
): Promise<RecomputeOptions & { readonly from: State }> {
  await expectBuckets(subnet, buckets)
  const { chain, network } = subnet
  const openBucket = bucketsIn(buckets, network)
  const data = { chain, network, openBucket, compare: false, onSample }
  return { ...data, from: await readersState(data, last) }
}
