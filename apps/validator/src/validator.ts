import { commitmentOf, statePath } from '@affine/blocks'
import { encodeCommitment, type Head } from '@affine/chain'
import { encodeState, type State, stateRoot } from '@affine/duel'
import type { Hash } from '@affine/prng'
import {
  beaconBlock,
  isMissing,
  type LaneVerdict,
  place,
  sealBlock,
  sealsOf,
  settleEpoch,
} from '@affine/verifier'
import { checkSealed, ownLane, secretOf } from './lane.ts'
import { Peers } from './peers.ts'
import { Stopped } from './sampling.ts'
import type { Setup } from './setup.ts'
import { startingState } from './starting-state.ts'

/** One epoch's deadlines, and the buckets read in it. */
interface Phase {
  readonly epoch: number
  /** Aborts when what has no reply yet is a fault. */
  readonly sampling: AbortController
  /** Aborts when the attestation is due, whatever is missing. */
  readonly audit: AbortController
  readonly peers: Peers
}

/** How many blocks before a deadline a validator stops waiting for others and does its own part. */
const margin = (blocks: number): number => Math.max(2, Math.floor(blocks / 10))

/**
 * One validator: at every finalized head it does what is due. What it must not forget is on disk
 * before it acts on it; everything else follows from the chain and the buckets, so it can be killed
 * at any moment and started again.
 */
export class Validator {
  readonly #setup: Setup
  readonly #tasks = new Map<string, Promise<void>>()
  readonly #lanes = new Map<string, LaneVerdict>()
  readonly #sent = new Map<string, unknown>()
  /** The state that governs the epoch it has come to. */
  state: State | undefined
  #phase: Phase | undefined

  constructor(setup: Setup) {
    this.#setup = setup
  }

  /** Resolves when no task is under way. What was sent may still wait for its block. */
  async idle(): Promise<void> {
    while (this.#tasks.size > 0) await Promise.all(this.#tasks.values())
  }

  /**
   * Asks nobody any more, brings the rest to its end, and resolves when what was sent has its block
   * or was refused. What has no reply yet is nobody's fault: the lane goes on with the next start.
   * No head may come after it.
   */
  async stop(): Promise<void> {
    this.#phase?.sampling.abort(new Stopped('the validator is stopping'))
    await this.idle()
    await Promise.all(this.#sent.values())
  }

  /**
   * Does what is due at a finalized head. Heads come in order; the work goes on in the background.
   */
  onHead(head: Head): void {
    const { chain, account, network, emit, on } = this.#setup
    const { protocol } = network
    const { epoch, offset } = place(head.number, protocol)
    on({ type: 'head', head, epoch, offset })
    const phase = this.#phaseOf(epoch)
    if (offset >= protocol.sealBlock - margin(protocol.sealBlock)) phase.sampling.abort()
    if (offset >= protocol.epochBlocks - margin(protocol.epochBlocks - protocol.sealBlock))
      phase.audit.abort()
    this.#start('turn', async () => {
      phase.peers.forgive()
      const state = await this.#catchUp(epoch, phase)
      this.#start('weights', () => this.#setWeights(state, head))
      const sampling = phase.sampling.signal
      if (offset < protocol.sealBlock)
        this.#start(`lane of epoch ${epoch}`, () => this.#seal(state, sampling))
      else await this.#audit(state, offset, phase)
    })
    const say = (head: Head | null): void =>
      void (head && on({ type: 'sent', what: 'reveal', block: head.number }))
    if (emit) this.#start('reveal', () => chain.reveal(account).then(say))
  }

  #phaseOf(epoch: number): Phase {
    if (this.#phase?.epoch === epoch) return this.#phase
    this.#phase?.sampling.abort()
    this.#phase?.audit.abort()
    const audit = new AbortController()
    const peers = new Peers(this.#setup.openBucket, audit.signal)
    this.#phase = { epoch, sampling: new AbortController(), audit, peers }
    return this.#phase
  }

  /**
   * Runs a task unless the one of that name still runs. A failure is reported; the next head tries
   * again.
   */
  #start(name: string, task: () => Promise<void>): void {
    if (this.#tasks.has(name)) return
    const run = task()
      .catch(
        (error: Error) =>
          error instanceof Stopped || this.#setup.on({ type: 'problem', what: name, error }),
      )
      .then(() => void this.#tasks.delete(name))
      .then(() => this.#setup.on({ type: 'ended', what: name }))
    this.#tasks.set(name, run)
  }

  /**
   * Sends a transaction once, if at all, without waiting for its block. After a refusal the next
   * head tries again.
   */
  #send(what: string, transaction: () => Promise<Head>): void {
    if (this.#sent.has(what)) return
    const { emit, on } = this.#setup
    if (!emit) on({ type: 'withheld', what })
    const isIn = ({ number }: Head): void => on({ type: 'sent', what, block: number })
    const isNot = (error: Error): void => {
      this.#sent.delete(what)
      on({ type: 'problem', what, error })
    }
    this.#sent.set(what, emit && transaction().then(isIn, isNot))
  }

  /** The state that governs `epoch`: the last one kept, then one decision an epoch. */
  async #catchUp(epoch: number, { peers }: Phase): Promise<State> {
    const { chain, network, bucket, store, on } = this.#setup
    this.state ??= await startingState(this.#setup, epoch, peers)
    while (this.state.epoch < epoch) {
      const settled = await settleEpoch(
        chain,
        network,
        this.state,
        this.#check.bind(this, peers, this.state),
      )
      const bytes = new TextEncoder().encode(encodeState(settled.state))
      for (const place of [bucket, store]) await place.write(statePath(settled.state.epoch), bytes)
      this.state = settled.state
      this.#lanes.clear()
      this.#sent.clear()
      on({ type: 'epoch', settled })
    }
    return this.state
  }

  /**
   * All weight to the champion, once an epoch, restarts included: the chain says when weights were
   * set last.
   */
  async #setWeights({ epoch, protocol, champion }: State, { number }: Head): Promise<void> {
    const { chain, account } = this.#setup
    const what = `weights ${epoch}`
    if (champion === undefined || this.#sent.has(what)) return
    const beacon = beaconBlock(epoch, protocol)
    const { neurons } = await chain.snapshot(Math.max(0, beacon - 1))
    const uid = neurons.find(({ hotkey }) => hotkey === champion.hotkey)?.uid
    const permit = neurons.some((neuron) => neuron.hotkey === account.hotkey && neuron.permit)
    const own = (await chain.snapshot(number)).neurons.find(
      ({ hotkey }) => hotkey === account.hotkey,
    )
    if (own && own.lastUpdate >= beacon) this.#sent.set(what, false)
    if (this.state?.epoch !== epoch) return // the chain was slow to answer: this winner may be the last one
    if (uid !== undefined && permit)
      this.#send(what, () => chain.setWeights(account, [[uid, 65_535]]))
  }

  /** Samples this epoch's lane, writes its blocks, and puts the hash of the last on chain. */
  async #seal(state: State, deadline: AbortSignal): Promise<void> {
    const { chain, account, bucketUrl: url } = this.#setup
    const { protocol, epoch } = state
    const what = `seal ${epoch}`
    const head = this.#sent.has(what)
      ? undefined
      : (await ownLane(this.#setup, state, deadline)).at(-1)
    if (head === undefined) return
    const fields = encodeCommitment({ kind: 'seal', epoch, head, url })
    this.#send(what, () => chain.commit(account, fields, sealBlock(epoch, protocol)))
  }

  /**
   * After the seals: publishes the own lane, verifies and mirrors the others, attests what held.
   */
  async #audit(state: State, offset: number, { audit, peers }: Phase): Promise<void> {
    const { chain, account, bucketUrl: url } = this.#setup
    const { epoch, protocol } = state
    const what = `attest ${epoch}`
    if (this.#sent.has(what)) return
    const seals = sealsOf(await chain.snapshot(sealBlock(epoch, protocol)), epoch)
    const due = Object.entries(seals).filter(([validator]) => Object.hasOwn(state.due, validator))
    if (offset === protocol.sealBlock) {
      // Everybody publishes at this very block, and reads the others' from the next on.
      for (const [validator, head] of due)
        if (validator === account.hotkey) await this.#check(peers, state, validator, head)
      return
    }
    const verdicts = await Promise.all(
      due.map(([validator, head]) => this.#check(peers, state, validator, head)),
    )
    if (!audit.signal.aborted && verdicts.some(isMissing)) return
    const whole = new Set(due.flatMap(([validator], i) => (verdicts[i]?.ok ? [validator] : [])))
    // 128 bits, one for each hotkey of the duel's weights in ascending order: set for the lanes
    // that are whole.
    const bitmap = new Uint8Array(16)
    const hotkeys = Object.keys(state.duel?.weights ?? {}).sort()
    for (const [i, hotkey] of hotkeys.entries()) {
      if (whole.has(hotkey)) bitmap[i >> 3] = (bitmap[i >> 3] ?? 0) | (1 << (i & 7))
    }
    const secret = await secretOf(this.#setup, epoch + 1)
    const { genesis, netuid } = chain
    const next = commitmentOf({
      genesis,
      netuid,
      validator: account.hotkey,
      epoch: epoch + 1,
      secret,
    })
    const fields = encodeCommitment({
      kind: 'attest',
      epoch,
      bitmap,
      next,
      stateRoot: stateRoot(state),
      url,
    })
    this.#send(what, () => chain.commit(account, fields, beaconBlock(epoch + 1, protocol) - 1))
  }

  /** The verdict on one sealed lane; what could not be had is asked for again at the next head. */
  async #check(peers: Peers, state: State, validator: string, head: Hash): Promise<LaneVerdict> {
    const verdict =
      this.#lanes.get(validator) ?? (await checkSealed(this.#setup, peers, state, validator, head))
    if (!isMissing(verdict)) this.#lanes.set(validator, verdict)
    return verdict
  }
}
