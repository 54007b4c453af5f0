import { statePath } from '@affine/blocks'
import { encodeCommitment, type Head } from '@affine/chain'
import { encodeState, type State } from '@affine/duel'
import { beaconBlock, placeOf, sealBlock, settleEpoch, snapshotBlock } from '@affine/settlement'
import { attestationOf, lanesToAudit } from './audit.ts'
import { championWeights } from './champion-weights.ts'
import { Outbox } from './outbox.ts'
import { ownLane } from './own-lane.ts'
import type { Peers } from './peers.ts'
import { Phase } from './phase.ts'
import { Stopped } from './sampling.ts'
import { type Audit, SealedLanes } from './sealed-lane.ts'
import type { Setup } from './setup.ts'
import { startingState } from './starting-state.ts'
import { Tasks } from './tasks.ts'

/**
 * One validator: at every finalized head it does what is due. What it must not forget is on disk
 * before it acts on it; everything else follows from the chain and the buckets, so it can be killed
 * at any moment and started again.
 */
export class Validator {
  readonly #setup: Setup
  readonly #tasks: Tasks
  readonly #outbox: Outbox
  /** Of the epoch it has come to. */
  #lanes: SealedLanes
  /** The state that governs the epoch it has come to. */
  state: State | undefined
  #phase: Phase | undefined

  constructor(setup: Setup) {
    this.#setup = setup
    this.#tasks = new Tasks(setup.on)
    this.#outbox = new Outbox(setup)
    this.#lanes = new SealedLanes(setup)
  }

  /** Resolves when no task is under way. What was sent may still wait for its block. */
  async idle(): Promise<void> {
    await this.#tasks.idle()
  }

  /**
   * Asks nobody any more, brings the rest to its end, and resolves when what was sent has its block
   * or was refused. What has no reply yet is nobody's fault: the lane goes on with the next start.
   * No head may come after it.
   */
  async stop(): Promise<void> {
    this.#phase?.stopSampling(new Stopped('the validator is stopping'))
    await this.idle()
    await this.#outbox.settled()
  }

  /**
   * Does what is due at a finalized head. Heads come in order; the work goes on in the background.
   */
  onHead(head: Head): void {
    const { network, emit, on } = this.#setup
    const { epoch, offset } = placeOf(head.number, network.protocol)
    on({ type: 'head', head, epoch, offset })
    const phase = this.#phaseOf(epoch)
    phase.advance(offset, network.protocol)
    this.#tasks.start('turn', () => this.#turn(head, phase))
    if (emit) this.#tasks.start('reveal', () => this.#reveal())
  }

  #phaseOf(epoch: number): Phase {
    if (this.#phase?.epoch === epoch) return this.#phase
    this.#phase?.end()
    this.#phase = new Phase(epoch, this.#setup.openBucket)
    return this.#phase
  }

  /** Comes to the state of the epoch, and does what its offset asks for. */
  async #turn(head: Head, phase: Phase): Promise<void> {
    const { protocol } = this.#setup.network
    const { epoch, offset } = placeOf(head.number, protocol)
    const state = await this.#catchUp(epoch, phase.peers)
    this.#tasks.start('weights', () => this.#setWeights(state, head))
    if (offset >= protocol.sealBlock) await this.#audit(state, offset, phase)
    else this.#tasks.start(`lane of epoch ${epoch}`, () => this.#seal(state, phase.sampling))
  }

  /** The state that governs `epoch`: the last one kept, then one decision an epoch. */
  async #catchUp(epoch: number, peers: Peers): Promise<State> {
    const { bucket, store, account, on } = this.#setup
    if (this.state === undefined) {
      this.state = await startingState(this.#setup, epoch, peers)
      on({ type: 'state', state: this.state })
    }
    while (this.state.epoch < epoch) {
      const lanes = this.#lanes
      const reading = { state: this.state, peers }
      const settled = await settleEpoch(this.#setup, this.state, {
        find: (sought) => lanes.find(sought, reading),
        // The own lane, too: to find it publishes it, if this process was not there to do so.
        isWanted: (validator) => validator === account.hotkey || lanes.found.has(validator),
      })
      const bytes = new TextEncoder().encode(encodeState(settled.state))
      for (const place of [bucket, store]) await place.write(statePath(settled.state.epoch), bytes)
      await lanes.clear()
      this.state = settled.state
      this.#lanes = new SealedLanes(this.#setup)
      this.#outbox.clear()
      on({ type: 'epoch', settled })
    }
    return this.state
  }

  /**
   * All weight to the champion, once an epoch, restarts included: the chain says when weights were
   * set last. Protocol §8.12.
   */
  async #setWeights({ epoch, protocol, champion }: State, { number }: Head): Promise<void> {
    const { chain, account } = this.#setup
    const what = `weights ${epoch}`
    if (champion === undefined || this.#outbox.has(what)) return
    const { neurons } = await chain.snapshot(Math.max(0, snapshotBlock(epoch, protocol)))
    const weights = championWeights(champion, neurons)
    const isOwn = ({ hotkey }: { readonly hotkey: string }): boolean => hotkey === account.hotkey
    const isPermitted = neurons.some((neuron) => isOwn(neuron) && neuron.permit)
    const own = (await chain.snapshot(number)).neurons.find(isOwn)
    if (own && own.lastUpdate >= beaconBlock(epoch, protocol)) this.#outbox.skip(what)
    // The chain was slow to answer: this winner may be the last one.
    if (this.state?.epoch !== epoch) return
    if (weights === undefined || !isPermitted) return
    this.#outbox.send(what, () => chain.setWeights(account, weights))
  }

  /** Opens weights that were committed as a hash, once their time has come. Protocol §8.12. */
  async #reveal(): Promise<void> {
    const { chain, account, on } = this.#setup
    const head = await chain.reveal(account)
    if (head) on({ type: 'sent', what: 'reveal', block: head.number })
  }

  /**
   * Samples this epoch's lane, writes its blocks, and puts the hash of the last on chain.
   * Protocol §5.2.
   */
  async #seal(state: State, deadline: AbortSignal): Promise<void> {
    const { chain, account, bucketUrl: url } = this.#setup
    const { protocol, epoch } = state
    const what = `seal ${epoch}`
    if (this.#outbox.has(what)) return
    const lanes = this.#lanes
    const own = await ownLane(this.#setup, state, deadline)
    if (own === undefined) return
    lanes.keep(own)
    const { head } = own
    const fields = encodeCommitment({ kind: 'seal', epoch, head, url })
    this.#outbox.send(what, () => chain.commit(account, fields, sealBlock(epoch, protocol)))
  }

  /**
   * After the seals: publishes the own lane, verifies and mirrors the others, attests what held.
   * Everybody publishes at the seal block, and reads the others' from the next on. Each lane is a
   * task by itself: a slow validator holds up no other lane. Protocol §5.2.
   */
  async #audit(state: State, offset: number, phase: Phase): Promise<void> {
    const { chain, account } = this.#setup
    const { epoch, protocol } = state
    if (this.#outbox.has(`attest ${epoch}`)) return
    const audits = await lanesToAudit(chain, state)
    const isPublishing = offset === protocol.sealBlock
    const lanes = this.#lanes
    const reading = { state, peers: phase.peers }
    // One at a time: two would each draw a secret for the next epoch.
    const attestOnce = (needed: readonly Audit[]): Promise<void> =>
      this.#tasks.start(`attestation of epoch ${epoch}`, () => this.#attest(state, needed))
    const wanted = audits.filter(({ validator }) => !isPublishing || validator === account.hotkey)
    const finding = wanted.map((audit) =>
      this.#tasks.start(`lane of ${audit.validator} in epoch ${epoch}`, async () => {
        await lanes.find(audit, reading)
        if (!isPublishing) await attestOnce(audits)
      }),
    )
    if (isPublishing) return
    if (!phase.audit.aborted) return attestOnce(audits)
    // Others are not waited for any longer: what is left is soon read from the own folder.
    await Promise.all(finding)
    await attestOnce([])
  }

  /** Attests what was found, once these lanes were all verified. Protocol §5.2. */
  async #attest(state: State, audits: readonly Audit[]): Promise<void> {
    const { chain, account } = this.#setup
    const { epoch, protocol } = state
    const what = `attest ${epoch}`
    const lanes = this.#lanes
    const isComplete = audits.every(({ validator }) => lanes.found.has(validator))
    if (!isComplete) return
    const fields = await attestationOf(this.#setup, state, lanes.found)
    // A lane may have come so late that its epoch is over.
    if (this.state !== state) return
    const until = snapshotBlock(epoch + 1, protocol)
    this.#outbox.send(what, () => chain.commit(account, fields, until))
  }
}
