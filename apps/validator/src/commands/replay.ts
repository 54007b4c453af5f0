import type { State } from '@affine/duel'
import {
  type Recomputed,
  type RecomputeOptions,
  readersState,
  recompute,
  type Subnet,
} from '@affine/settlement'
import { bucketsIn, expectBuckets } from '@affine/settlement/node'
import { type ChainOptions, chainCommand, FIRST_EPOCH, whole } from '@affine/terminal'
import { type Command, Option } from '@commander-js/extra-typings'

/** Which epochs are replayed, and from which buckets. */
export type ReplayOptions = { buckets?: string | undefined; last?: number | undefined }

type Buckets = Option<'--buckets <folder|url>', undefined, undefined, undefined>

export const BUCKETS: Buckets = new Option(
  '--buckets <folder|url>',
  'the folder or URL that holds the buckets announced by name; not needed for https buckets',
).env('AFFINE_BUCKETS')

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

/** Recomputes the epochs that a subnet's chain has closed. It does not compare copies of blocks. */
export class Replay {
  readonly #data: RecomputeOptions
  #state: State

  private constructor(data: RecomputeOptions, state: State) {
    this.#data = data
    this.#state = state
  }

  /** Begins with the state before the `last` epochs, or with the network's first state. */
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

  /** The state that governs the epoch after the last one decided. */
  get state(): State {
    return this.#state
  }

  /** Decides the epochs that the chain has closed since, one after the other. */
  async *epochs(): AsyncGenerator<Recomputed, void> {
    for await (const settled of recompute({ ...this.#data, from: this.#state })) {
      this.#state = settled.state
      yield settled
    }
  }

  /** Decides all epochs that the chain has closed, and returns the state after them. */
  async finish(): Promise<State> {
    let { state } = this
    for await (const settled of this.epochs()) state = settled.state
    return state
  }
}
