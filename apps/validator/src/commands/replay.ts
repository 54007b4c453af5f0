import type { State } from '@affine/duel'
import {
  type Recomputed,
  type RecomputeOptions,
  readersState,
  recompute,
  type Subnet,
} from '@affine/settlement'
import { bucketsIn, expectBuckets } from '@affine/settlement/node'
import { type ChainOptions, chainCommand, whole } from '@affine/terminal'
import { type Command, Option } from '@commander-js/extra-typings'

/** What of a subnet is replayed, and from which buckets. */
export type ReplayOptions = { buckets?: string | undefined; last?: number | undefined }

type Buckets = Option<'--buckets <folder|url>', undefined, undefined, undefined>

export const BUCKETS: Buckets = new Option(
  '--buckets <folder|url>',
  'the folder or URL that holds the buckets announced by name; https buckets need none',
).env('AFFINE_BUCKETS')

/** A command that replays a subnet from its public data. */
export const replayCommand = (name: string): Command<[], ChainOptions & ReplayOptions> =>
  chainCommand(name)
    .addOption(BUCKETS)
    .option(
      '--last <epochs>',
      'the number of newest epochs to look at, from the state that more than half the stake ' +
        'attested (default: all)',
      whole(1, 1e6),
    )

/** A subnet's epochs, decided anew as far as its chain has closed them; copies are not compared. */
export class Replay {
  readonly #data: RecomputeOptions
  #state: State

  private constructor(data: RecomputeOptions, state: State) {
    this.#data = data
    this.#state = state
  }

  /** Begins with the state before the `last` epochs, or with the network's first. */
  static async begin(
    subnet: Subnet,
    { buckets, last = Number.POSITIVE_INFINITY }: ReplayOptions,
    onSample?: RecomputeOptions['onSample'],
  ): Promise<Replay> {
    await expectBuckets(subnet, buckets)
    const { chain, network } = subnet
    const openBucket = bucketsIn(buckets, network)
    const data = { chain, network, openBucket, compare: false, onSample }
    return new Replay(data, await readersState(data, last))
  }

  /** Governs the epoch after the last one decided. */
  get state(): State {
    return this.#state
  }

  /** Decides what the chain has closed since, one epoch after the other. */
  async *epochs(): AsyncGenerator<Recomputed, void> {
    for await (const settled of recompute({ ...this.#data, from: this.#state })) {
      this.#state = settled.state
      yield settled
    }
  }

  /** Decides all that the chain has closed, and gives the state that follows. */
  async finish(): Promise<State> {
    let { state } = this
    for await (const settled of this.epochs()) state = settled.state
    return state
  }
}
