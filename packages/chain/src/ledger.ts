import { hexToBytes } from '@noble/hashes/utils.js'
import type { CommitmentSlot, Neuron, Refusal, Weights } from './chain.ts'
import { MAX_FIELD_BYTES, MAX_FIELDS } from './commitment.ts'
import type { Entry, Extrinsic, Sudo } from './extrinsic.ts'
import { History } from './history.ts'
import { rescale } from './weights.ts'

/** The subnet's hyperparameters; stake in rao. */
export interface Params {
  /** Blocks between two assignments of permits; also the window of `commitmentBytes`. */
  readonly tempo: number
  readonly maxValidators: number
  readonly stakeThreshold: bigint
  /** Blocks between two settings of weights by one neuron. */
  readonly weightsRateLimit: number
  /** What one hotkey may commit in a tempo. A commitment takes 100 at least. */
  readonly commitmentBytes: number
}

/** Subtensor's defaults. */
export const PARAMS: Params = Object.freeze({
  tempo: 360,
  maxValidators: 64,
  stakeThreshold: 1_000_000_000_000n,
  weightsRateLimit: 100,
  commitmentBytes: 3100,
})

/** A commitment slot with its fields in hex. */
type Slot = Omit<CommitmentSlot, 'fields'> & { readonly fields: readonly string[] }

const LEAST_COMMITMENT_BYTES = 100

/**
 * The state of the local subnet at the end of every block, and the rules by which calls change it, in the order and
 * with the names of subtensor (`do_set_weights`, `set_commitment`). No clock, no I/O, no signatures.
 */
export class Ledger {
  readonly #params: Params
  readonly #uids = new Map<string, number>()
  readonly #neurons: History<Neuron | undefined>[] = []
  readonly #weights: History<Weights>[] = []
  readonly #commitments = new Map<string, History<Slot>>()
  readonly #nonces = new Map<string, number>()
  readonly #used = new Map<string, { readonly epoch: number; readonly bytes: number }>()

  constructor(params: Params) {
    this.#params = params
  }

  /** The lowest nonce that `hotkey` may use next. */
  nonce(hotkey: string): number {
    return this.#nonces.get(hotkey) ?? 0
  }

  /** Is it too late for the extrinsic, or was its nonce used? */
  barred({ hotkey, nonce, until }: Extrinsic, block: number): Refusal | null {
    if (block > until) return 'AncientBirthBlock'
    return nonce < this.nonce(hotkey) ? 'Stale' : null
  }

  /** Carries out a call in `block`, or says why not and changes nothing but the nonce. */
  apply(entry: Entry, block: number): Refusal | null {
    if ('sudo' in entry) return this.#sudo(entry, block)
    const { hotkey, nonce, call } = entry
    const barred = this.barred(entry, block)
    if (barred !== null) return barred
    this.#nonces.set(hotkey, nonce + 1)
    return call.call === 'commit'
      ? this.#commit(hotkey, call.fields, block)
      : this.#setWeights(hotkey, call.weights, block)
  }

  /** Ends a block: once a tempo, permits go to the highest stakes from the threshold on; of equal ones, to the higher uid. */
  close(block: number): void {
    if (block % this.#params.tempo !== 0) return
    const neurons = this.neurons(block)
    const staked = neurons.filter(({ stake }) => stake > 0n && stake >= this.#params.stakeThreshold)
    staked.sort((a, b) => (a.stake === b.stake ? b.uid - a.uid : a.stake < b.stake ? 1 : -1))
    const permitted = new Set(staked.slice(0, this.#params.maxValidators))
    for (const neuron of neurons)
      if (neuron.permit !== permitted.has(neuron)) this.#update(block, { ...neuron, permit: !neuron.permit })
  }

  neurons(block: number): Neuron[] {
    return this.#neurons.map((history) => history.at(block)).filter((neuron) => neuron !== undefined)
  }

  commitments(block: number): CommitmentSlot[] {
    const slots = [...this.#commitments.values()]
      .map((history) => history.at(block))
      .filter((slot) => slot !== undefined)
    slots.sort((a, b) => (a.hotkey < b.hotkey ? -1 : 1))
    return slots.map((slot) => ({ ...slot, fields: slot.fields.map(hexToBytes) }))
  }

  weights(block: number): Record<string, Weights> {
    const rows = this.neurons(block).map(({ uid, hotkey }) => [hotkey, this.#weights[uid]?.at(block) ?? []] as const)
    return Object.fromEntries(rows.filter(([, weights]) => weights.length > 0))
  }

  #update(block: number, neuron: Neuron): void {
    this.#neurons[neuron.uid]?.set(block, neuron)
  }

  #sudo({ sudo, hotkey, stake }: Sudo, block: number): Refusal | null {
    const neuron = this.#neuron(hotkey)
    if (sudo === 'register')
      return neuron ? 'HotKeyAlreadyRegisteredInSubNet' : this.#register(hotkey, BigInt(stake), block)
    if (!neuron) return 'HotKeyNotRegisteredInSubNet'
    if (sudo === 'setStake') this.#update(block, { ...neuron, stake: BigInt(stake) })
    else this.#deregister(neuron, block)
    return null
  }

  #register(hotkey: string, stake: bigint, block: number): null {
    const free = this.#neurons.findIndex((history) => history.last === undefined)
    const uid = free === -1 ? this.#neurons.length : free
    if (free === -1) {
      this.#neurons.push(new History())
      this.#weights.push(new History())
    }
    this.#uids.set(hotkey, uid)
    this.#update(block, { uid, hotkey, stake, permit: false, lastUpdate: block })
    return null
  }

  /** Whoever takes the uid next must not inherit the weights given to it. */
  #deregister({ uid, hotkey }: Neuron, block: number): void {
    this.#uids.delete(hotkey)
    this.#neurons[uid]?.set(block, undefined)
    this.#weights[uid]?.set(block, [])
    for (const row of this.#weights)
      if (row.last?.some(([to]) => to === uid))
        row.set(
          block,
          row.last.map(([to, weight]) => [to, to === uid ? 0 : weight]),
        )
  }

  #commit(hotkey: string, fields: readonly string[], block: number): Refusal | null {
    if (!this.#uids.has(hotkey)) return 'AccountNotAllowedCommit'
    if (fields.length > MAX_FIELDS) return 'TooManyFieldsInCommitmentInfo'
    const sizes = fields.map(({ length }) => length / 2)
    if (sizes.some((size) => size > MAX_FIELD_BYTES)) return 'FieldTooLong'
    const epoch = Math.floor(block / this.#params.tempo)
    const used = this.#used.get(hotkey)
    const before = used?.epoch === epoch ? used.bytes : 0
    const bytes =
      before +
      Math.max(
        LEAST_COMMITMENT_BYTES,
        sizes.reduce((sum, size) => sum + size, 0),
      )
    if (bytes > this.#params.commitmentBytes) return 'SpaceLimitExceeded'
    this.#used.set(hotkey, { epoch, bytes })
    const history = this.#commitments.get(hotkey) ?? new History<Slot>()
    history.set(block, { hotkey, block, fields })
    this.#commitments.set(hotkey, history)
    return null
  }

  #setWeights(hotkey: string, weights: Weights, block: number): Refusal | null {
    const { stakeThreshold, weightsRateLimit } = this.#params
    if (weights.length > this.#uids.size) return 'UidsLengthExceedUidsInSubNet'
    const neuron = this.#neuron(hotkey)
    if (!neuron) return 'HotKeyNotRegisteredInSubNet'
    if (neuron.stake < stakeThreshold) return 'NotEnoughStakeToSetWeights'
    if (neuron.lastUpdate > 0 && block - neuron.lastUpdate < weightsRateLimit) return 'SettingWeightsTooFast'
    const uids = weights.map(([uid]) => uid)
    const toItself = weights.length === 1 && uids[0] === neuron.uid
    if (!neuron.permit && !toItself) return 'NeuronNoValidatorPermit'
    if (new Set(uids).size < uids.length) return 'DuplicateUids'
    if (uids.some((uid) => this.#neurons[uid]?.last === undefined)) return 'UidVecContainInvalidOne'
    if (weights.length === 0) return 'WeightVecLengthIsLow'
    this.#weights[neuron.uid]?.set(block, rescale(weights))
    this.#update(block, { ...neuron, lastUpdate: block })
    return null
  }

  #neuron(hotkey: string): Neuron | undefined {
    return this.#neurons[this.#uids.get(hotkey) ?? -1]?.last
  }
}
