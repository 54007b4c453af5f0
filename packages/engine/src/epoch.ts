import { setMaxListeners } from 'node:events'
import { rm } from 'node:fs/promises'
import { type Bucket, commitmentOf, statePath } from '@affine/blocks'
import { encodeCommitment, type Head, type Neuron, type UidWeights } from '@affine/chain'
import { encodeBitmap, encodeState, type Protocol, type State, stateRoot } from '@affine/duel'
import type { Hash } from '@affine/prng'
import {
  BucketReader,
  beaconBlock,
  type CheckedLane,
  decideEpoch,
  type FindLane,
  isMissing,
  placeOf,
  recipientOf,
  type Settled,
  sealBlock,
  snapshotBlock,
  snapshotOf,
} from '@affine/settlement'
import {
  type Audit,
  type AuditOptions,
  auditLane,
  incomingFolder,
  lanesToAudit,
  publish,
} from './audit-lane.ts'
import { waitForStart } from './games.ts'
import {
  createOwnTask,
  loadSecret,
  marginBlocks,
  type OwnLane,
  readOwnSeal,
  samplingBlocks,
  writeOwnLane,
} from './own-lane.ts'
import { sampleLane } from './sampling.ts'
import type { Job, Setup, Transaction } from './setup.ts'

/** Of each bucket of another validator. */
const READS_PER_BUCKET = 2

/** One epoch's deadlines, and the buckets read in it. It begins before its state is known. */
export class Phase {
  readonly epoch: number
  readonly reader: BucketReader
  /**
   * Aborts when sampling ends: from then on a missing reply is the miner's fault, unless the reason
   * is `Stopped`.
   */
  readonly sampling: AbortController = new AbortController()
  /** Aborts when the attestation must be sent, even if lanes are missing. */
  readonly audit: AbortController = new AbortController()
  /** Aborts when another epoch has begun. */
  readonly whole: AbortController = new AbortController()

  constructor(epoch: number, { on, ...setup }: Setup) {
    this.epoch = epoch
    // Every read of every bucket listens: any number is no leak, and no warning for the operator.
    setMaxListeners(0, this.sampling.signal, this.audit.signal, this.whole.signal)
    const onLost = (hotkey: string): void => on({ type: 'slow', hotkey })
    this.reader = new BucketReader({ ...setup, readsAtOnce: READS_PER_BUCKET, onLost })
  }

  /** Aborts the parts of the epoch that end before this block of it. Protocol §5.4. */
  advance(offset: number, protocol: Protocol): void {
    const { sealBlock, epochBlocks } = protocol
    if (offset >= samplingBlocks(protocol)) this.sampling.abort()
    if (offset >= epochBlocks - marginBlocks(epochBlocks - sealBlock)) this.audit.abort()
  }

  /** Ends all of it: another epoch has begun. */
  end(): void {
    for (const part of [this.sampling, this.audit, this.whole]) part.abort()
  }
}

/** Starts a job in the background, unless it is still running. Resolves when it has ended. */
type StartJob = (task: Job, work: () => Promise<void>) => Promise<void>

/**
 * What one validator does in one epoch, in this order: all weight is set, and the state published;
 * the own lane is sampled and sealed, then published; all lanes are audited; what held is attested;
 * the epoch is settled. Each step can be repeated at the next head, or after a restart. Protocol
 * §5.2.
 */
export class Epoch {
  /** Governs the epoch. */
  readonly state: State
  readonly #setup: Setup
  readonly #phase: Phase
  readonly #start: StartJob
  /** The own lane as it was checked before its seal; none if that was before a restart. */
  #own: OwnLane | undefined
  /** The lanes whose audit has ended, by validator. */
  readonly #audited = new Map<string, CheckedLane>()
  /** The last audit of each lane, by validator: those of one lane share a folder. */
  readonly #audits = new Map<string, Promise<CheckedLane>>()
  /** For each transaction: resolves when it is in a block, was refused or is not needed. */
  readonly #sent = new Map<Transaction['kind'], Promise<void>>()
  /** Is the state that governs it in the own bucket? Everybody has the network's first. */
  #isPublished: boolean

  constructor(setup: Setup, state: State, phase: Phase, start: StartJob) {
    this.#setup = setup
    this.state = state
    this.#isPublished = state.epoch === setup.network.firstEpoch
    this.#phase = phase
    this.#start = start
  }

  /** Does what is due at a head of this epoch. What is under way already goes on. */
  async advance(head: Head): Promise<void> {
    const { protocol } = this.#setup.network
    const { epoch, offset } = placeOf(head.number, protocol)
    this.#start({ kind: 'weights', epoch }, () => this.#setWeights())
    this.#start({ kind: 'state', epoch }, () => this.#publishState())
    if (offset < protocol.sealBlock) this.#start({ kind: 'seal', epoch }, () => this.#seal())
    else if (offset === protocol.sealBlock) await this.#publish()
    else await this.#auditAndAttest()
  }

  /**
   * All weight to the champion, or else to the subnet's owner, once an epoch, restarts included:
   * the chain says when weights were set last. Protocol §8.13.
   */
  async #setWeights(): Promise<void> {
    const { chain, account } = this.#setup
    const { epoch, protocol } = this.state
    if (this.#sent.has('weights')) return
    const before = await snapshotOf(chain, this.state)
    const { number: head } = await chain.head()
    const { neurons } = await chain.snapshot(head)
    const weights = allWeightTo(recipientOf(this.state, before), neurons)
    const isOwn = ({ hotkey }: Neuron): boolean => hotkey === account.hotkey
    const isPermitted = before.neurons.some((neuron) => isOwn(neuron) && neuron.permit)
    const own = neurons.find(isOwn)
    if (own && own.lastUpdate >= beaconBlock(epoch, protocol)) this.#skip('weights')
    // In no block of the next epoch, whose champion may be another.
    const until = snapshotBlock(epoch + 1, protocol)
    if (head >= until || weights === undefined || !isPermitted) return
    this.#send('weights', () => chain.setWeights(account, weights, until))
  }

  /** In the background: while the own bucket is out of reach, the lane is sampled all the same. */
  async #publishState(): Promise<void> {
    if (this.#isPublished) return
    await writeState(this.state, this.#setup.bucket)
    this.#isPublished = true
  }

  /** Samples the own lane, and puts the hash of its last block on chain. */
  async #seal(): Promise<void> {
    const { bucketUrl: url } = this.#setup
    const { epoch, protocol, duels } = this.state
    if (duels.length === 0 || this.#sent.has('seal')) return
    const made = (await readOwnSeal(this.#setup, epoch)) ?? this.#own?.head
    const head = made ?? (await this.#sample())
    if (head === undefined) return
    const fields = encodeCommitment({ kind: 'seal', epoch, head, url })
    await this.#commit('seal', fields, sealBlock(epoch, protocol))
  }

  /** Plays the own lane to its end. Returns its last block's hash; undefined when it is not due. */
  async #sample(): Promise<Hash | undefined> {
    const deadline = this.#phase.sampling.signal
    const task = await createOwnTask(this.#setup, this.state, deadline)
    if (task === undefined) return undefined
    if (this.#setup.network.platform !== 'loopback')
      await waitForStart(task.secret, task.gamesTime, deadline)
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
    if (this.#sent.has('attest')) return
    const audits = await lanesToAudit(this.#setup.chain, this.state)
    // One at a time: two would each draw a secret for the next epoch.
    const attestOnce = (needed: readonly Audit[]): Promise<void> =>
      this.#start({ kind: 'attest', epoch }, () => this.#attest(needed))
    const auditing = audits.map((audit) => this.#startAudit(audit, () => attestOnce(audits)))
    if (!this.#phase.audit.signal.aborted) return attestOnce(audits)
    // Others are not waited for any longer: what is left is soon read from the own folder.
    await Promise.all(auditing)
    await attestOnce([])
  }

  #startAudit(audit: Audit, next?: () => Promise<void>): Promise<void> {
    return this.#start(this.#laneJob(audit), async () => {
      const { reader, audit: deadline } = this.#phase
      await this.#audit(audit, { reader, deadline: deadline.signal, publish: this.#publishLane })
      await next?.()
    })
  }

  #laneJob({ validator: hotkey }: Pick<Audit, 'validator'>): Job {
    return { kind: 'lane', epoch: this.state.epoch, hotkey }
  }

  /** Puts a whole lane into the own bucket: what is attested can be read there. */
  readonly #publishLane: AuditOptions['publish'] = (blocks, from) =>
    publish(blocks, from, this.#setup.bucket)

  /** One audit of a lane after the other. */
  #audit(audit: Audit, reading: Omit<AuditOptions, 'state'>): Promise<CheckedLane> {
    const before = this.#audits.get(audit.validator)?.catch(() => {})
    const auditing = Promise.resolve(before).then(() => this.#auditOnce(audit, reading))
    this.#audits.set(audit.validator, auditing)
    return auditing
  }

  /**
   * Verifies a lane once, and publishes it if it is whole. What could not be had can be asked for
   * again.
   */
  async #auditOnce(audit: Audit, reading: Omit<AuditOptions, 'state'>): Promise<CheckedLane> {
    const known = this.#audited.get(audit.validator)
    if (known !== undefined) return known
    const own = this.#own?.head === audit.head ? this.#own : undefined
    const lane =
      own?.lane ?? (await auditLane(this.#setup, audit, { ...reading, state: this.state }))
    if (own !== undefined) await reading.publish(own.lane.value.blocks, this.#setup.store)
    if (!isMissing(lane)) this.#audited.set(audit.validator, lane)
    return lane
  }

  /** Attests which lanes held, once those that are needed were all audited. */
  async #attest(needed: readonly Audit[]): Promise<void> {
    const { epoch, protocol } = this.state
    const isComplete = needed.every(({ validator }) => this.#audited.has(validator))
    if (!isComplete) return
    const fields = await this.#attestation()
    await this.#publishState()
    await this.#commit('attest', fields, snapshotBlock(epoch + 1, protocol))
  }

  /**
   * The fields of the attestation: which lanes are whole and served from the own bucket, the
   * commitment to the next secret, and the root of the state. Protocol §5.2.
   */
  async #attestation(): Promise<Uint8Array[]> {
    const { chain, account, bucketUrl: url } = this.#setup
    const { epoch, voters } = this.state
    const lanes = [...this.#audited].filter(([, lane]) => lane.ok)
    const whole = new Set(lanes.map(([validator]) => validator))
    const bitmap = encodeBitmap(voters, whole)
    const { genesis, netuid } = chain
    const secret = await loadSecret(this.#setup, epoch + 1)
    const scope = { genesis, netuid, validator: account.hotkey, epoch: epoch + 1 }
    const next = commitmentOf({ ...scope, secret })
    const root = stateRoot(this.state)
    return encodeCommitment({ kind: 'attest', epoch, bitmap, next, stateRoot: root, url })
  }

  /** Once the epoch is over: decides it, and keeps the state that governs the next. */
  async settle({ reader, whole }: Phase): Promise<Settled> {
    const { store, account, folder, on } = this.#setup
    reader.beginEpoch(this.state)
    // To decide takes reading only: a bucket that takes nothing must not be in its way.
    const find: FindLane = (sought) => {
      const task = this.#laneJob(sought)
      const publish: AuditOptions['publish'] = (...lane) =>
        this.#publishLane(...lane).catch((error) => on({ type: 'problem', task, error }))
      return this.#audit(sought, { reader, deadline: whole.signal, publish })
    }
    // The own lane, too: to find it publishes it, if this process was not there to do so.
    const isWanted = (validator: string): boolean =>
      validator === account.hotkey || this.#audited.has(validator)
    const settled = await decideEpoch(this.#setup, this.state, find, isWanted)
    await writeState(settled.state, store)
    await rm(incomingFolder(folder), { recursive: true, force: true })
    return settled
  }

  /**
   * Puts these fields into the own slot by the block `until`, unless they are there: this process
   * may have been started again, and a tempo has room for few commitments.
   */
  async #commit(kind: Transaction['kind'], fields: Uint8Array[], until: number): Promise<void> {
    const { chain, account } = this.#setup
    const { commitments } = await chain.snapshot((await chain.head()).number)
    const own = commitments.find(({ hotkey }) => hotkey === account.hotkey)
    if (own?.fields.join(' ') === fields.join(' ')) this.#skip(kind)
    // A lane may have come so late that its epoch is over.
    if (this.#phase.whole.signal.aborted) return
    this.#send(kind, () => chain.commit(account, fields, until))
  }

  /** Resolves when each transaction that was sent is in a block or was refused. */
  async sent(): Promise<void> {
    await Promise.all(this.#sent.values())
  }

  /** Notes that a transaction need not be sent. */
  #skip(kind: Transaction['kind']): void {
    this.#sent.set(kind, Promise.resolve())
  }

  /**
   * Sends a transaction, unless it was sent or skipped, without waiting for its block; in a dry run
   * reports that it would. After a refusal it can be sent again.
   */
  #send(kind: Transaction['kind'], transaction: () => Promise<Head>): void {
    const { emit, on } = this.#setup
    if (this.#sent.has(kind)) return
    const task = { kind, epoch: this.state.epoch }
    if (emit) {
      this.#sent.set(kind, this.#confirm(task, transaction()))
      return
    }
    on({ type: 'withheld', task })
    this.#skip(kind)
  }

  async #confirm(task: Transaction, sent: Promise<Head>): Promise<void> {
    const { on } = this.#setup
    try {
      const { number } = await sent
      on({ type: 'sent', task, block: number })
    } catch (error) {
      this.#sent.delete(task.kind)
      on({ type: 'problem', task, phase: 'send', error: error as Error })
    }
  }
}

const writeState = (state: State, place: Bucket): Promise<void> =>
  place.write(statePath(state.epoch), new TextEncoder().encode(encodeState(state)))

/** Weights that give all to a hotkey; undefined if it is not registered. Protocol §8.13. */
export function allWeightTo(
  hotkey: string | undefined,
  neurons: readonly Neuron[],
): UidWeights | undefined {
  const uid = neurons.find((neuron) => neuron.hotkey === hotkey)?.uid
  return uid === undefined ? undefined : [[uid, 65_535]]
}
