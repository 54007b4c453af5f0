import { setMaxListeners } from 'node:events'
import { rm } from 'node:fs/promises'
import { type Bucket, hashCommitment, type Lane, statePath } from '@affine/blocks'
import { encodeCommitment, type Head, type Neuron, type UidWeights } from '@affine/chain'
import { encodeBitmap, encodeState, type Protocol, type State, stateRoot } from '@affine/duel'
import type { Hash } from '@affine/prng'
import {
  BucketReader,
  beaconBlock,
  type CheckedLane,
  decideEpoch,
  type EpochResult,
  type FindLane,
  findRecipient,
  isMissing,
  locateBlock,
  readSnapshot,
  sealBlock,
  snapshotBlock,
} from '@affine/settlement'
import {
  type Audit,
  type AuditOptions,
  auditLane,
  incomingFolder,
  listAudits,
  publish,
} from './audit-lane.ts'
import { awaitStart } from './games.ts'
import {
  createOwnTask,
  loadSecret,
  margin,
  readOwnSeal,
  samplingBlocks,
  writeOwnLane,
} from './own-lane.ts'
import { sampleLane } from './sampling.ts'
import type { Job, Setup, Transaction } from './setup.ts'

/** Maximum concurrent reads per bucket of another validator. */
const READS_PER_BUCKET = 2

/**
 * The deadlines of one epoch, and its reader of buckets. A phase begins with the first head in its
 * epoch, when the epoch's state may not be known yet.
 */
export class Phase {
  readonly epoch: number
  readonly reader: BucketReader
  /**
   * Aborts when sampling ends. A missing reply then is a forfeit of the miner, unless the reason of
   * the abort is a `StopError`.
   */
  readonly sampling: AbortController = new AbortController()
  /** Aborts when the attestation is due, even if lanes are missing. */
  readonly audit: AbortController = new AbortController()
  /** Aborts when the next epoch has begun. */
  readonly whole: AbortController = new AbortController()

  constructor(epoch: number, { on, ...setup }: Setup) {
    this.epoch = epoch
    // Every read and request adds a listener. Without this call, Node would warn of a leak.
    setMaxListeners(0, this.sampling.signal, this.audit.signal, this.whole.signal)
    const onLost = (hotkey: string): void => on({ type: 'slow', hotkey })
    this.reader = new BucketReader({ ...setup, readsAtOnce: READS_PER_BUCKET, onLost })
  }

  /** Aborts the parts of the epoch that are over at its block `offset`, from 0. Protocol §5.4. */
  advance(offset: number, protocol: Protocol): void {
    const { sealBlock, epochBlocks } = protocol
    if (offset >= samplingBlocks(protocol)) this.sampling.abort()
    if (offset >= epochBlocks - margin(epochBlocks - sealBlock)) this.audit.abort()
  }

  end(): void {
    for (const part of [this.sampling, this.audit, this.whole]) part.abort()
  }
}

/** Starts a job in the background, unless it is running. Resolves when the job has ended. */
type StartJob = (task: Job, work: () => Promise<void>) => Promise<void>

/**
 * The work of one validator in one epoch, in this order: set all weight, and publish the state;
 * sample, seal and publish its lane; audit all lanes; attest the valid lanes; settle the epoch.
 * Each step can be repeated at the next head or after a restart. Protocol §5.2.
 */
export class Epoch {
  readonly state: State
  readonly #setup: Setup
  readonly #phase: Phase
  readonly #start: StartJob
  /**
   * This validator's lane as checked before the seal. Undefined before the check, and after a
   * restart.
   */
  #own: Lane | undefined
  /** Finished audits by validator. */
  readonly #audited = new Map<string, CheckedLane>()
  /** Latest audits by validator. Audits of one lane share a folder, so they never overlap. */
  readonly #audits = new Map<string, Promise<CheckedLane>>()
  /** Promises that resolve when a transaction is in a block, refused, or not needed. */
  readonly #sent = new Map<Transaction['kind'], Promise<void>>()
  /**
   * Whether the bucket has the governing state. True for the network's first state, which everyone
   * computes.
   */
  #isPublished: boolean

  constructor(setup: Setup, state: State, phase: Phase, start: StartJob) {
    this.#setup = setup
    this.state = state
    this.#isPublished = state.epoch === setup.network.firstEpoch
    this.#phase = phase
    this.#start = start
  }

  /** Starts the tasks due at this head. Running tasks continue. */
  async advance(head: Head): Promise<void> {
    const { protocol } = this.#setup.network
    const { epoch, offset } = locateBlock(head.number, protocol)
    this.#start({ kind: 'weights', epoch }, () => this.#setWeights())
    // This runs in the background, so that sampling does not wait for an unreachable bucket.
    this.#start({ kind: 'state', epoch }, () => this.#publishState())
    if (offset < protocol.sealBlock) this.#start({ kind: 'seal', epoch }, () => this.#seal())
    else if (offset === protocol.sealBlock) await this.#publish()
    else await this.#auditAndAttest()
  }

  /**
   * Gives all weight to the hotkey that is owed it, once an epoch even after restarts: the chain
   * states when weights were last set. Protocol §8.13.
   */
  async #setWeights(): Promise<void> {
    const { chain, account } = this.#setup
    const { epoch, protocol } = this.state
    if (this.#sent.has('weights')) return
    const before = await readSnapshot(chain, this.state)
    const { number: head } = await chain.head()
    const { neurons } = await chain.snapshot(head)
    const weights = giveAllWeightTo(findRecipient(this.state, before), neurons)
    const isOwn = ({ hotkey }: Neuron): boolean => hotkey === account.hotkey
    const isPermitted = before.neurons.some((neuron) => isOwn(neuron) && neuron.permit)
    const own = neurons.find(isOwn)
    if (own && own.lastUpdate >= beaconBlock(epoch, protocol)) this.#skip('weights')
    // The transaction must not land in the next epoch, which may have another champion.
    const until = snapshotBlock(epoch + 1, protocol)
    if (head >= until || weights === undefined || !isPermitted) return
    this.#send('weights', () => chain.setWeights(account, weights, until))
  }

  async #publishState(): Promise<void> {
    if (this.#isPublished) return
    await writeState(this.state, this.#setup.bucket)
    this.#isPublished = true
  }

  /** Samples this validator's lane, and commits the hash of the last block on chain. */
  async #seal(): Promise<void> {
    const { bucketUrl: url } = this.#setup
    const { epoch, protocol, duels } = this.state
    if (duels.length === 0 || this.#sent.has('seal')) return
    const made = (await readOwnSeal(this.#setup, epoch)) ?? this.#own?.blocks[0]
    const head = made ?? (await this.#sample())
    if (head === undefined) return
    const fields = encodeCommitment({ kind: 'seal', epoch, head, url })
    await this.#commit('seal', fields, sealBlock(epoch, protocol))
  }

  /**
   * Samples this validator's lane to the end. Returns the hash of the last block, or undefined if
   * no lane is due.
   */
  async #sample(): Promise<Hash | undefined> {
    const deadline = this.#phase.sampling.signal
    const task = await createOwnTask(this.#setup, this.state, deadline)
    if (task === undefined) return undefined
    if (this.#setup.network.platform !== 'loopback')
      await awaitStart(task.secret, task.gamesTime, deadline)
    const sampled = await sampleLane(task)
    this.#own = await writeOwnLane(this.#setup, this.state, { ...task, ...sampled })
    return this.#own.blocks[0]
  }

  /** Publishes this validator's lane at the seal block. Others read it from the next block on. */
  async #publish(): Promise<void> {
    const { chain, account } = this.#setup
    const audits = await listAudits(chain, this.state)
    const own = audits.find(({ validator }) => validator === account.hotkey)
    if (own !== undefined) this.#startAudit(own)
  }

  /**
   * Audits all lanes, and attests when all audits have ended or at the deadline. Each lane is a
   * separate job, so a slow validator delays no other lane.
   */
  async #auditAndAttest(): Promise<void> {
    const { epoch } = this.state
    if (this.#sent.has('attest')) return
    const audits = await listAudits(this.#setup.chain, this.state)
    // Two concurrent attestations would draw two secrets for the next epoch.
    const attestOnce = (needed: readonly Audit[]): Promise<void> =>
      this.#start({ kind: 'attest', epoch }, () => this.#attest(needed))
    const auditing = audits.map((audit) => this.#startAudit(audit, () => attestOnce(audits)))
    if (!this.#phase.audit.signal.aborted) return attestOnce(audits)
    // Reads from other validators have ended, so the remaining audits are short.
    await Promise.all(auditing)
    await attestOnce([])
  }

  #startAudit(audit: Audit, next?: () => Promise<void>): Promise<void> {
    const { epoch } = this.state
    return this.#start({ kind: 'lane', epoch, hotkey: audit.validator }, async () => {
      const { reader, audit: deadline } = this.#phase
      await this.#audit(audit, { reader, deadline: deadline.signal, publish: this.#publishLane })
      await next?.()
    })
  }

  /**
   * Publishes a valid lane in the bucket, which has to serve the lanes that the validator attests.
   */
  readonly #publishLane: AuditOptions['publish'] = (blocks, from) =>
    publish(blocks, from, this.#setup.bucket)

  /** Audits a lane once its previous audit, if any, has ended. */
  #audit(audit: Audit, reading: AuditOptions): Promise<CheckedLane> {
    const before = this.#audits.get(audit.validator)?.catch(() => {})
    const auditing = Promise.resolve(before).then(() => this.#auditOnce(audit, reading))
    this.#audits.set(audit.validator, auditing)
    return auditing
  }

  /**
   * Verifies a lane, and publishes it if it is valid. A lane is verified once, or again if blocks
   * were missing.
   */
  async #auditOnce(audit: Audit, reading: AuditOptions): Promise<CheckedLane> {
    const known = this.#audited.get(audit.validator)
    if (known !== undefined) return known
    const own = this.#own?.blocks[0] === audit.head ? this.#own : undefined
    if (own !== undefined) await reading.publish(own.blocks, this.#setup.store)
    const lane = own
      ? ({ ok: true, value: own } as const)
      : await auditLane(this.#setup, this.state, audit, reading)
    if (!isMissing(lane)) this.#audited.set(audit.validator, lane)
    return lane
  }

  /** Attests the valid lanes, unless a lane in `needed` is not yet audited. */
  async #attest(needed: readonly Audit[]): Promise<void> {
    const { epoch, protocol } = this.state
    const isComplete = needed.every(({ validator }) => this.#audited.has(validator))
    if (!isComplete) return
    const fields = await this.#attestation()
    await this.#publishState()
    await this.#commit('attest', fields, snapshotBlock(epoch + 1, protocol))
  }

  /** Returns the fields of the attestation. Protocol §5.2. */
  async #attestation(): Promise<Uint8Array[]> {
    const { chain, account, bucketUrl: url } = this.#setup
    const { epoch, voters } = this.state
    const lanes = [...this.#audited].filter(([, lane]) => lane.ok)
    const whole = new Set(lanes.map(([validator]) => validator))
    const bitmap = encodeBitmap(voters, whole)
    const { genesis, netuid } = chain
    const secret = await loadSecret(this.#setup, epoch + 1)
    const scope = { genesis, netuid, validator: account.hotkey, epoch: epoch + 1 }
    const next = hashCommitment({ ...scope, secret })
    const root = stateRoot(this.state)
    return encodeCommitment({ kind: 'attest', epoch, bitmap, next, stateRoot: root, url })
  }

  /** Decides the epoch after its end, and stores the state that governs the next epoch. */
  async settle({ reader, whole }: Phase): Promise<EpochResult> {
    const { store, account, folder, on } = this.#setup
    reader.beginEpoch(this.state)
    // A failed write to the bucket must not prevent the decision, which only reads.
    const find: FindLane = (request) => {
      const task = { kind: 'lane', epoch: this.state.epoch, hotkey: request.validator } as const
      const publish: AuditOptions['publish'] = (...lane) =>
        this.#publishLane(...lane).catch((error) => on({ type: 'problem', task, error }))
      return this.#audit(request, { reader, deadline: whole.signal, publish })
    }
    // Finding this validator's lane also publishes it, if necessary.
    const isWanted = (validator: string): boolean =>
      validator === account.hotkey || this.#audited.has(validator)
    const settled = await decideEpoch(this.#setup, this.state, find, isWanted)
    await writeState(settled.state, store)
    await rm(incomingFolder(folder), { recursive: true, force: true })
    return settled
  }

  /**
   * Commits these fields by block `until`, unless the slot on chain contains them, as after a
   * restart: the number of commitments per tempo is limited.
   */
  async #commit(kind: Transaction['kind'], fields: Uint8Array[], until: number): Promise<void> {
    const { chain, account } = this.#setup
    const { commitments } = await chain.snapshot((await chain.head()).number)
    const own = commitments.find(({ hotkey }) => hotkey === account.hotkey)
    if (own?.fields.join(' ') === fields.join(' ')) this.#skip(kind)
    // If a lane was late, the epoch may be over.
    if (this.#phase.whole.signal.aborted) return
    this.#send(kind, () => chain.commit(account, fields, until))
  }

  /** Resolves when each sent transaction is in a block or refused. */
  async sent(): Promise<void> {
    await Promise.all(this.#sent.values())
  }

  #skip(kind: Transaction['kind']): void {
    this.#sent.set(kind, Promise.resolve())
  }

  /**
   * Sends a transaction, unless it was sent or skipped, and does not wait for its block. A dry run
   * reports the transaction instead. A refused transaction can be sent again.
   */
  #send(kind: Transaction['kind'], transaction: () => Promise<Head>): void {
    const { emit, on } = this.#setup
    if (this.#sent.has(kind)) return
    const task = { kind, epoch: this.state.epoch }
    if (!emit) on({ type: 'withheld', task })
    this.#sent.set(kind, emit ? this.#confirm(task, transaction()) : Promise.resolve())
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

/** Returns weights that give all to one hotkey; undefined unless registered. Protocol §8.13. */
function giveAllWeightTo(
  hotkey: string | undefined,
  neurons: readonly Neuron[],
): UidWeights | undefined {
  const uid = neurons.find((neuron) => neuron.hotkey === hotkey)?.uid
  return uid === undefined ? undefined : [[uid, 65_535]]
}
