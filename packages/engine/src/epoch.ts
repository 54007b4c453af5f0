import { rm } from 'node:fs/promises'
import { statePath } from '@affine/blocks'
import { encodeCommitment, type Head } from '@affine/chain'
import { encodeState, type State } from '@affine/duel'
import type { Hash } from '@affine/prng'
import {
  type BucketReader,
  beaconBlock,
  type CheckedLane,
  decideEpoch,
  type FindLane,
  isMissing,
  placeOf,
  type Settled,
  sealBlock,
  snapshotBlock,
} from '@affine/settlement'
import { attestationOf, isOnChain } from './attestation.ts'
import { type Audit, auditLane, incomingFolder, lanesToAudit, publish } from './audit-lane.ts'
import { championWeights } from './champion-weights.ts'
import { startOf } from './games.ts'
import { Outbox } from './outbox.ts'
import { type OwnLane, ownTask, sealOnChain, writeOwnLane } from './own-lane.ts'
import type { Phase } from './phase.ts'
import { sampleLane } from './sampling.ts'
import type { Setup } from './setup.ts'
import type { Tasks } from './tasks.ts'

/** What a validator gives each of its epochs. */
interface EpochSetup {
  readonly setup: Setup
  readonly tasks: Tasks
  /** The epoch's deadlines, and the buckets that are read in it. */
  readonly phase: Phase
}

/**
 * What one validator does in one epoch, in the order in which a sample meets it: the own lane is
 * sampled and sealed, then published; all lanes are audited; what held is attested; the epoch is
 * settled, and its champion gets the weights. Each step can be repeated at the next head, or after
 * a restart. Protocol §5.2.
 */
export class Epoch {
  /** Governs the epoch. */
  readonly state: State
  readonly #setup: Setup
  readonly #tasks: Tasks
  readonly #phase: Phase
  readonly #outbox: Outbox
  /** The own lane as it was checked before its seal; none if that was before a restart. */
  #own: OwnLane | undefined
  /** The lanes whose audit has ended, by validator. */
  readonly #audited = new Map<string, CheckedLane>()
  #isOver = false

  constructor(state: State, { setup, tasks, phase }: EpochSetup) {
    this.state = state
    this.#setup = setup
    this.#tasks = tasks
    this.#phase = phase
    this.#outbox = new Outbox(setup)
  }

  /** Does what is due at a head of this epoch. What is under way already goes on. */
  async advance(head: Head): Promise<void> {
    const { protocol } = this.#setup.network
    const { epoch, offset } = placeOf(head.number, protocol)
    this.#tasks.start('weights', () => this.#setWeights(head))
    if (offset < protocol.sealBlock)
      this.#tasks.start(`lane of epoch ${epoch}`, () => this.#seal(head))
    else if (offset === protocol.sealBlock) await this.#publish()
    else await this.#auditAndAttest()
  }

  /** Resolves when each transaction that was sent is in a block or was refused. */
  async sent(): Promise<void> {
    await this.#outbox.settled()
  }

  /** Samples the own lane, and puts the hash of its last block on chain. */
  async #seal({ number: block }: Head): Promise<void> {
    const { chain, account, bucketUrl: url } = this.#setup
    const { epoch, protocol, duel } = this.state
    const what = `seal ${epoch}`
    if (duel === undefined || this.#outbox.has(what)) return
    const head = (await sealOnChain(this.#setup, epoch)) ?? (await this.#sample(block))
    if (head === undefined) return
    const fields = encodeCommitment({ kind: 'seal', epoch, head, url })
    this.#outbox.send(what, () => chain.commit(account, fields, sealBlock(epoch, protocol)))
  }

  /** Plays the own lane to its end. Returns its last block's hash; undefined when it is not due. */
  async #sample(block: number): Promise<Hash | undefined> {
    const deadline = this.#phase.sampling
    const task = await ownTask(this.#setup, this.state, { deadline, block })
    if (task === undefined) return undefined
    if (this.#setup.network.platform !== 'loopback')
      await startOf(task.secret, task.gamesTime, deadline)
    // Each sample is in the journal before it counts.
    const sampled = await sampleLane(task)
    this.#own = await writeOwnLane(this.#setup, this.state, { ...task, ...sampled })
    return this.#own.head
  }

  /** At the seal block every validator publishes its own lane: from the next on others read it. */
  async #publish(): Promise<void> {
    const { chain, account } = this.#setup
    const audits = await lanesToAudit(chain, this.state)
    const own = audits.find(({ validator }) => validator === account.hotkey)
    if (own !== undefined) this.#startAudit(own)
  }

  /**
   * Audits all lanes, and attests once that is done, or when there is no more time. Each lane is a
   * task by itself: a slow validator holds up no other lane.
   */
  async #auditAndAttest(): Promise<void> {
    const { epoch } = this.state
    if (this.#outbox.has(`attest ${epoch}`)) return
    const audits = await lanesToAudit(this.#setup.chain, this.state)
    // One at a time: two would each draw a secret for the next epoch.
    const attestOnce = (needed: readonly Audit[]): Promise<void> =>
      this.#tasks.start(`attestation of epoch ${epoch}`, () => this.#attest(needed))
    const auditing = audits.map((audit) => this.#startAudit(audit, () => attestOnce(audits)))
    if (!this.#phase.audit.aborted) return attestOnce(audits)
    // Others are not waited for any longer: what is left is soon read from the own folder.
    await Promise.all(auditing)
    await attestOnce([])
  }

  #startAudit(audit: Audit, next?: () => Promise<void>): Promise<void> {
    const name = `lane of ${audit.validator} in epoch ${this.state.epoch}`
    return this.#tasks.start(name, async () => {
      const { reader, audit: deadline } = this.#phase
      await this.#audit(audit, reader, deadline)
      await next?.()
    })
  }

  /**
   * Verifies a lane once, and puts it into the own bucket if it is whole. What could not be had can
   * be asked for again.
   */
  async #audit(audit: Audit, reader: BucketReader, deadline: AbortSignal): Promise<CheckedLane> {
    const known = this.#audited.get(audit.validator)
    if (known !== undefined) return known
    const { store, bucket } = this.#setup
    const own = this.#own?.head === audit.head ? this.#own : undefined
    const reading = { state: this.state, reader, deadline }
    const lane = own?.lane ?? (await auditLane(this.#setup, audit, reading))
    if (own !== undefined) await publish(own.lane.value.blocks, store, bucket)
    if (!isMissing(lane)) this.#audited.set(audit.validator, lane)
    return lane
  }

  /** Attests which lanes held, once those that are needed were all audited. */
  async #attest(needed: readonly Audit[]): Promise<void> {
    const { chain, account } = this.#setup
    const { epoch, protocol } = this.state
    const isComplete = needed.every(({ validator }) => this.#audited.has(validator))
    if (!isComplete) return
    const fields = await attestationOf(this.#setup, this.state, this.#audited)
    const what = `attest ${epoch}`
    if (await isOnChain(this.#setup, fields)) this.#outbox.skip(what)
    // A lane may have come so late that its epoch is over.
    if (this.#isOver) return
    const until = snapshotBlock(epoch + 1, protocol)
    this.#outbox.send(what, () => chain.commit(account, fields, until))
  }

  /** Once the epoch is over: decides it, and keeps the state that governs the next. */
  async settle({ reader, all }: Phase): Promise<Settled> {
    const { bucket, store, account, folder } = this.#setup
    const find: FindLane = (sought) => this.#audit(sought, reader, all)
    // The own lane, too: to find it publishes it, if this process was not there to do so.
    const isWanted = (validator: string): boolean =>
      validator === account.hotkey || this.#audited.has(validator)
    const settled = await decideEpoch(this.#setup, this.state, find, isWanted)
    const bytes = new TextEncoder().encode(encodeState(settled.state))
    for (const place of [bucket, store]) await place.write(statePath(settled.state.epoch), bytes)
    await rm(incomingFolder(folder), { recursive: true, force: true })
    this.#isOver = true
    return settled
  }

  /**
   * All weight to the champion of the state, once an epoch, restarts included: the chain says when
   * weights were set last. Protocol §8.12.
   */
  async #setWeights({ number }: Head): Promise<void> {
    const { chain, account } = this.#setup
    const { epoch, protocol, champion } = this.state
    const what = `weights ${epoch}`
    if (champion === undefined || this.#outbox.has(what)) return
    const { neurons } = await chain.snapshot(Math.max(0, snapshotBlock(epoch, protocol)))
    const weights = championWeights(champion, neurons)
    const isOwn = ({ hotkey }: { readonly hotkey: string }): boolean => hotkey === account.hotkey
    const isPermitted = neurons.some((neuron) => isOwn(neuron) && neuron.permit)
    const own = (await chain.snapshot(number)).neurons.find(isOwn)
    if (own && own.lastUpdate >= beaconBlock(epoch, protocol)) this.#outbox.skip(what)
    // The chain was slow to answer: this champion may be the last one.
    if (this.#isOver || weights === undefined || !isPermitted) return
    this.#outbox.send(what, () => chain.setWeights(account, weights))
  }
}
