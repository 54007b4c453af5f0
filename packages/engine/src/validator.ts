import { join } from 'node:path'
import { statePath } from '@affine/blocks'
import type { Head } from '@affine/chain'
import { parseState, type State } from '@affine/duel'
import { Stopped } from '@affine/miners'
import { AlteredFile } from '@affine/node/disk'
import { digestOfText } from '@affine/prng'
import {
  attestedRoot,
  firstStateOf,
  newestAttested,
  type OpenBucket,
  placeOf,
  STATE_BYTES,
} from '@affine/settlement'
import { Epoch, Phase } from './epoch.ts'
import { claimFolder } from './owner.ts'
import type { Job, Setup } from './setup.ts'

/**
 * One validator: at every finalized head it does what is due. What it must not forget is on disk
 * before it acts on it; everything else follows from the chain and the buckets, so it can be killed
 * at any moment and started again.
 */
export class Validator {
  readonly #setup: Setup
  /** The jobs in the background, by `JSON.stringify`. */
  readonly #running = new Map<string, Promise<void>>()
  /** The deadlines of the last head's epoch. */
  #phase: Phase | undefined
  /** The epoch whose state is known: that of the last head, or one before it. */
  #epoch: Epoch | undefined

  constructor(setup: Setup) {
    this.#setup = setup
  }

  /** The newest state that it decided or started from. */
  get state(): State | undefined {
    return this.#epoch?.state
  }

  /** Resolves when no job is under way. What was sent may still wait for its block. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.values())
  }

  /**
   * Stops asking miners, finishes everything else, and resolves when each transaction is in a block
   * or was refused. No miner is blamed for a reply that is missing: the lane goes on with the next
   * start. `onHead` must not be called after it.
   */
  async stop(): Promise<void> {
    this.#phase?.sampling.abort(new Stopped('the validator is stopping'))
    await this.idle()
    await this.#epoch?.sent()
  }

  /**
   * Does what is due at a finalized head, nothing before the network's first epoch. Heads come in
   * order; the work goes on in the background.
   */
  onHead(head: Head): void {
    const { network, on } = this.#setup
    const { epoch, offset } = placeOf(head.number, network.protocol)
    on({ type: 'head', head, epoch, offset })
    if (this.#phase?.epoch !== epoch) {
      this.#phase?.end()
      this.#phase = new Phase(epoch, this.#setup)
    }
    const phase = this.#phase
    phase.advance(offset, network.protocol)
    this.#start({ kind: 'head' }, async () => {
      if (epoch >= network.firstEpoch) await (await this.#catchUp(phase)).advance(head)
    })
  }

  /** Settles one epoch after the other, from the last state kept to that of the phase. */
  async #catchUp(phase: Phase): Promise<Epoch> {
    const begin = (state: State): Epoch => {
      phase.reader.beginEpoch(state)
      return new Epoch(this.#setup, state, phase, (job, work) => this.#start(job, work))
    }
    if (this.#epoch === undefined) {
      const { folder, chain, account } = this.#setup
      await claimFolder(folder, chain, account.hotkey)
      const openBucket: OpenBucket = (hotkey, url) =>
        phase.reader.open(hotkey, url, phase.whole.signal)
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

  /**
   * Starts a job, unless it is still running. Resolves when it has ended; a failure is reported as
   * an event.
   */
  #start(task: Job, work: () => Promise<void>): Promise<void> {
    const key = JSON.stringify(task)
    const running = this.#running.get(key) ?? this.#run(task, work)
    this.#running.set(key, running)
    return running
  }

  async #run(task: Job, work: () => Promise<void>): Promise<void> {
    const { on } = this.#setup
    try {
      await work()
    } catch (error) {
      const isStopped = error instanceof Stopped
      if (!isStopped) on({ type: 'problem', task, error: error as Error })
    }
    this.#running.delete(JSON.stringify(task))
    on({ type: 'ended', task })
  }
}

/**
 * The state from which a validator that starts in `epoch` decides on: the last one it kept; else
 * the newest that more than half of the active stake attested, or, if it is to replay everything,
 * the network's first.
 * @throws AlteredFile for its own state; Error when nobody serves the attested one.
 */
export async function startingState(setup: Setup, epoch: number): Promise<State> {
  const kept = await readOwnState(setup, epoch)
  if (kept !== null) return kept
  if (setup.replay) return firstStateOf(setup.network)
  return newestAttested(setup, epoch)
}

/**
 * The last state in the validator's folder that governs `epoch` or one before; null without one.
 */
async function readOwnState(setup: Setup, epoch: number): Promise<State | null> {
  const { store, network, folder } = setup
  for (let at = epoch; at > network.firstEpoch; at--) {
    const path = statePath(at)
    const bytes = await store.read(path, STATE_BYTES)
    if (bytes === null) continue
    const state = parseState(new TextDecoder().decode(bytes))
    const isRight = state.ok && (await isUnaltered(setup, epoch, at, bytes))
    if (isRight) return state.value
    const why = 'it differs from the copy in the bucket and from the attested state'
    const fault = state.ok ? { code: 'OTHER_STATE', detail: why } : state
    throw new AlteredFile(join(folder, path), fault.code, fault.detail)
  }
  return null
}

/**
 * Are these bytes of the state that governs the epoch `at` what was written? They are compared with
 * the copy in this validator's bucket; if it has none, or another, with the root that more than
 * half of the active stake attested, if any.
 */
async function isUnaltered(
  setup: Setup,
  epoch: number,
  at: number,
  bytes: Uint8Array,
): Promise<boolean> {
  const root = digestOfText('state', bytes)
  const copy = await setup.bucket.read(statePath(at), STATE_BYTES).catch(() => null)
  if (copy !== null && digestOfText('state', copy) === root) return true
  const attested = at < epoch ? await attestedRoot(setup, at + 1) : undefined
  if (attested !== undefined) return attested === root
  return copy === null
}
