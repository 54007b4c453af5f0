import { OWNER_PATH } from '@affine/blocks'
import type { Head } from '@affine/chain'
import type { State } from '@affine/duel'
import { Stopped } from '@affine/miners'
import { BucketReader, type OpenBucket, placeOf } from '@affine/settlement'
import { Epoch } from './epoch.ts'
import { publishOwner } from './own-owner.ts'
import { Phase } from './phase.ts'
import type { Setup } from './setup.ts'
import { startingState } from './starting-state.ts'
import { Tasks } from './tasks.ts'

/** Of each bucket of another validator. */
const READS_AT_ONCE = 2

/**
 * One validator: at every finalized head it does what is due. What it must not forget is on disk
 * before it acts on it; everything else follows from the chain and the buckets, so it can be killed
 * at any moment and started again.
 */
export class Validator {
  readonly #setup: Setup
  readonly #tasks: Tasks
  /** The deadlines of the last head's epoch. */
  #phase: Phase | undefined
  /** The epoch whose state is known: that of the last head, or one before it. */
  #epoch: Epoch | undefined

  constructor(setup: Setup) {
    this.#setup = setup
    this.#tasks = new Tasks(setup.on)
  }

  /** The newest state that it decided or started from. */
  get state(): State | undefined {
    return this.#epoch?.state
  }

  /** Resolves when no task is under way. What was sent may still wait for its block. */
  async idle(): Promise<void> {
    await this.#tasks.idle()
  }

  /**
   * Stops asking miners, finishes everything else, and resolves when each transaction is in a block
   * or was refused. No miner is blamed for a reply that is missing: the lane goes on with the next
   * start. `onHead` must not be called after it.
   */
  async stop(): Promise<void> {
    this.#phase?.stopSampling(new Stopped('the validator is stopping'))
    await this.idle()
    await this.#epoch?.sent()
  }

  /**
   * Does what is due at a finalized head. Heads come in order; the work goes on in the background.
   */
  onHead(head: Head): void {
    const { network, on } = this.#setup
    const { epoch, offset } = placeOf(head.number, network.protocol)
    on({ type: 'head', head, epoch, offset })
    const phase = this.#phaseOf(epoch)
    phase.advance(offset, network.protocol)
    this.#tasks.start('turn', async () => (await this.#comeTo(phase)).advance(head))
  }

  #phaseOf(epoch: number): Phase {
    if (this.#phase?.epoch === epoch) return this.#phase
    this.#phase?.end()
    const onLost = (hotkey: string): void => this.#setup.on({ type: 'slow', hotkey })
    const reader = new BucketReader({ ...this.#setup, readsAtOnce: READS_AT_ONCE, onLost })
    this.#phase = new Phase(epoch, reader)
    return this.#phase
  }

  /** Settles one epoch after the other, from the last state kept to that of the phase. */
  async #comeTo(phase: Phase): Promise<Epoch> {
    const work = { setup: this.#setup, tasks: this.#tasks, phase }
    const begin = (state: State): Epoch => {
      phase.reader.beginEpoch(state.duel?.weights ?? {})
      this.#tasks.start(OWNER_PATH, () => publishOwner(this.#setup))
      return new Epoch(state, work)
    }
    if (this.#epoch === undefined) {
      const openBucket: OpenBucket = (hotkey, url) => phase.reader.open(hotkey, url, phase.all)
      const state = await startingState({ ...this.#setup, openBucket }, phase.epoch)
      this.#epoch = begin(state)
      this.#setup.on({ type: 'state', state })
    }
    while (this.#epoch.state.epoch < phase.epoch) {
      const settled = await this.#epoch.settle(phase)
      this.#epoch = begin(settled.state)
      this.#setup.on({ type: 'epoch', settled })
    }
    return this.#epoch
  }
}
