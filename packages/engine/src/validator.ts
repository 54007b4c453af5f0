import { join } from 'node:path'
import { STATE_BYTES, statePath } from '@affine/blocks'
import type { Head } from '@affine/chain'
import { parseState, type State } from '@affine/duel'
import { StopError } from '@affine/miners'
import { AlteredFile } from '@affine/node/disk'
import { digestOfText } from '@affine/prng'
import {
  createFirstState,
  findAttestedRoot,
  locateBlock,
  type OpenBucket,
  readNewestAttested,
} from '@affine/settlement'
import { Epoch, Phase } from './epoch.ts'
import { claimFolder } from './owner.ts'
import type { Job, Setup } from './setup.ts'

/**
 * One validator, which runs the tasks due at each finalized head. It can be killed and restarted at
 * any time.
 */
export class Validator {
  readonly #setup: Setup
  /** Background jobs, by `JSON.stringify` of the job. */
  readonly #running = new Map<string, Promise<void>>()
  /** Deadlines of the last head's epoch. */
  #phase: Phase | undefined
  /** The newest epoch whose state is known. */
  #epoch: Epoch | undefined

  constructor(setup: Setup) {
    this.#setup = setup
  }

  /** The newest state that the validator decided or started from. */
  get state(): State | undefined {
    return this.#epoch?.state
  }

  /** Resolves when no job is running. Sent transactions may still wait for their block. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.values())
  }

  /**
   * Stops asking miners, finishes everything else, and resolves when each transaction is in a block
   * or refused. Missing replies do not count against miners: the lane continues after the next
   * start. `onHead` must not be called afterwards.
   */
  async stop(): Promise<void> {
    this.#phase?.sampling.abort(new StopError('the validator is stopping'))
    await this.idle()
    await this.#epoch?.sent()
  }

  /**
   * Starts the tasks due at a finalized head in the background, none before the network's first
   * epoch. Heads must arrive in order.
   */
  onHead(head: Head): void {
    const { network, on } = this.#setup
    const { epoch, offset } = locateBlock(head.number, network.protocol)
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

  /** Settles all epochs from the starting state to the last before the epoch of the phase. */
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
      const state = await findStartingState({ ...this.#setup, openBucket }, phase.epoch)
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

  /** Starts a job, unless it is running. Resolves when the job has ended. A failure is an event. */
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
      const isStopped = error instanceof StopError
      if (!isStopped) on({ type: 'problem', task, error: error as Error })
    }
    this.#running.delete(JSON.stringify(task))
    on({ type: 'ended', task })
  }
}

/**
 * Returns the starting state of a validator in `epoch`: its last stored state; otherwise the
 * network's first state if it replays everything, or the newest state that more than half of the
 * active stake attested.
 * @throws AlteredFile if the stored state was altered; Error if no bucket serves the attested
 *   state.
 */
export async function findStartingState(setup: Setup, epoch: number): Promise<State> {
  const stored = await readOwnState(setup, epoch)
  if (stored !== null) return stored
  if (setup.replay) return createFirstState(setup.network)
  return readNewestAttested(setup, epoch)
}

/** Returns the last stored state that governs `epoch` or an earlier epoch, or null. */
async function readOwnState(setup: Setup, epoch: number): Promise<State | null> {
  const { store, network, folder } = setup
  for (let at = epoch; at > network.firstEpoch; at--) {
    const path = statePath(at)
    const bytes = await store.read(path, STATE_BYTES)
    if (bytes === null) continue
    const state = parseState(new TextDecoder().decode(bytes))
    const isRight = state.ok && (await isUnaltered(setup, epoch, at, bytes))
    if (isRight) return state.value
    const why = 'it equals neither a copy in the bucket nor an attested state'
    const fault = state.ok ? { code: 'OTHER_STATE', detail: why } : state
    throw new AlteredFile(join(folder, path), fault.code, fault.detail)
  }
  return null
}

/**
 * Reports whether these bytes of the state that governs epoch `at` are unaltered. They must equal
 * the copy in the bucket or, without an equal copy, have the root that more than half of the active
 * stake attested. Without an attested root, the result is true only if the bucket has no copy.
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
  const attested = at < epoch ? await findAttestedRoot(setup, at + 1) : undefined
  if (attested !== undefined) return attested === root
  return copy === null
}
