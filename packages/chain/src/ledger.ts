import { hexToBytes } from '@noble/hashes/utils.js'
import type { CommitmentSlot, Neuron, Refusal, Weights } from './chain.ts'
import { MAX_FIELD_BYTES, MAX_FIELDS } from './commitment.ts'
import type { Entry, Extrinsic, Sudo } from './extrinsic.ts'
import { History } from './history.ts'
import { rescale } from './weights.ts'

/** The subnet's hyperparameters. */
export interface Params {
  /** Blocks between two assignments of permits; also the window of `commitmentBytes`. */
  readonly tempo: number
  readonly maxValidators: number
  /** In rao; a number, so that parameters are plain JSON. */
  readonly stakeThreshold: number
  /** Blocks between two settings of weights by one neuron. */
  readonly weightsRateLimit: number
  /** What a hotkey may commit in one tempo; a commitment counts as 100 at least. */
  readonly commitmentBytes: number
}

/** Subtensor's defaults. */
export const PARAMS: Params = Object.freeze({
  tempo: 360,
  maxValidators: 64,
  stakeThreshold: 1_000_000_000_000,
  weightsRateLimit: 100,
  commitmentBytes: 3100,
})

/**
 * The state of the local subnet at the end of every block, and the rules by which calls change it: those of subtensor's
 * `set_weights` and `set_commitment`, in their order. No clock, no I/O, no signatures.
 */
export class Ledger {
  readonly #params: Params
  readonly #neurons = new History<number, Neuron>()
  readonly #weights = new History<number, Weights>()
  readonly #slots = new History<string, { hotkey: string; block: number; fields: readonly string[] }>()
  readonly #used = new Map<string, { readonly epoch: number; readonly bytes: number }>()
  readonly #nonces = new Map<string, number>()

  constructor(params: Params) {
    this.#params = params
  }

  /** The lowest nonce that `hotkey` may use next. */
  nonce(hotkey: string): number {
    return this.#nonces.get(hotkey) ?? 0
  }

  neurons(block: number): Neuron[] {
    return this.#neurons.all(block)
  }

  commitments(block: number): CommitmentSlot[] {
    const slots = this.#slots.all(block).map((slot) => ({ ...slot, fields: slot.fields.map(hexToBytes) }))
    return slots.sort((a, b) => (a.hotkey < b.hotkey ? -1 : 1))
  }

  weights(block: number): Record<string, Weights> {
    const rows = this.neurons(block).map(({ hotkey, uid }) => [hotkey, this.#weights.at(block, uid) ?? []] as const)
    return Object.fromEntries(rows.filter(([, row]) => row.length > 0))
  }

  /** Is it too late for the extrinsic, or was its nonce used? */
  barred({ hotkey, nonce, until }: Extrinsic, block: number): Refusal | null {
    if (block > until) return 'AncientBirthBlock'
    return nonce < this.nonce(hotkey) ? 'Stale' : null
  }

  /** Carries out a call in `block`, or says why not and changes nothing but the nonce. */
  apply(entry: Entry, block: number): Refusal | null {
    const neuron = this.neurons(block).find(({ hotkey }) => hotkey === entry.hotkey)
    if ('sudo' in entry) return this.#sudo(entry, neuron, block)
    const barred = this.barred(entry, block)
    if (barred !== null) return barred
    this.#nonces.set(entry.hotkey, entry.nonce + 1)
    if ('fields' in entry.call) return this.#commit(neuron, entry.call.fields, block)
    return this.#setWeights(neuron, entry.call.weights, block)
  }

  /** Ends a block. Once a tempo, permits go to the highest stakes that reach the threshold; the higher uid wins a tie. */
  close(block: number): void {
    if (block % this.#params.tempo !== 0) return
    const { stakeThreshold, maxValidators } = this.#params
    const neurons = this.neurons(block)
    const ranked = neurons.filter(({ stake }) => stake > 0n && stake >= stakeThreshold)
    ranked.sort((a, b) => (a.stake === b.stake ? b.uid - a.uid : a.stake < b.stake ? 1 : -1))
    const best = new Set(ranked.slice(0, maxValidators))
    for (const neuron of neurons)
      if (neuron.permit !== best.has(neuron))
        this.#neurons.set(block, neuron.uid, { ...neuron, permit: !neuron.permit })
  }

  #sudo({ sudo, hotkey, stake }: Sudo, neuron: Neuron | undefined, block: number): Refusal | null {
    if (sudo === 'register') {
      if (neuron) return 'HotKeyAlreadyRegisteredInSubNet'
      let uid = 0
      while (this.#neurons.at(block, uid)) uid++
      this.#neurons.set(block, uid, { uid, hotkey, stake: BigInt(stake), permit: false, lastUpdate: block })
      return null
    }
    if (!neuron) return 'HotKeyNotRegisteredInSubNet'
    if (sudo === 'setStake') this.#neurons.set(block, neuron.uid, { ...neuron, stake: BigInt(stake) })
    else this.#vacate(neuron.uid, block)
    return null
  }

  /** Whoever takes the uid next inherits neither the weights it set nor those it was given. */
  #vacate(vacated: number, block: number): void {
    for (const { uid } of this.neurons(block)) {
      const row = this.#weights.at(block, uid)
      if (row?.some(([to]) => to === vacated))
        this.#weights.set(
          block,
          uid,
          row.map(([to, weight]) => [to, to === vacated ? 0 : weight]),
        )
    }
    this.#weights.set(block, vacated, undefined)
    this.#neurons.set(block, vacated, undefined)
  }

  #commit(neuron: Neuron | undefined, fields: readonly string[], block: number): Refusal | null {
    if (!neuron) return 'AccountNotAllowedCommit'
    const { hotkey } = neuron
    const sizes = fields.map(({ length }) => length / 2)
    if (sizes.length > MAX_FIELDS) return 'TooManyFieldsInCommitmentInfo'
    if (sizes.some((size) => size > MAX_FIELD_BYTES)) return 'FieldTooLong'
    const epoch = Math.floor(block / this.#params.tempo)
    const last = this.#used.get(hotkey)
    const bytes =
      Math.max(
        100,
        sizes.reduce((sum, size) => sum + size, 0),
      ) + (last?.epoch === epoch ? last.bytes : 0)
    if (bytes > this.#params.commitmentBytes) return 'SpaceLimitExceeded'
    this.#used.set(hotkey, { epoch, bytes })
    this.#slots.set(block, hotkey, { hotkey, block, fields })
    return null
  }

  #setWeights(neuron: Neuron | undefined, weights: Weights, block: number): Refusal | null {
    const existing = new Set(this.neurons(block).map(({ uid }) => uid))
    const uids = new Set(weights.map(([uid]) => uid))
    if (weights.length > existing.size) return 'UidsLengthExceedUidsInSubNet'
    if (!neuron) return 'HotKeyNotRegisteredInSubNet'
    if (neuron.stake < this.#params.stakeThreshold) return 'NotEnoughStakeToSetWeights'
    const since = neuron.lastUpdate === 0 ? Number.POSITIVE_INFINITY : block - neuron.lastUpdate
    if (since < this.#params.weightsRateLimit) return 'SettingWeightsTooFast'
    const toItself = weights.length === 1 && uids.has(neuron.uid)
    if (!neuron.permit && !toItself) return 'NeuronNoValidatorPermit'
    if (uids.size < weights.length) return 'DuplicateUids'
    if ([...uids].some((uid) => !existing.has(uid))) return 'UidVecContainInvalidOne'
    if (weights.length === 0) return 'WeightVecLengthIsLow'
    this.#weights.set(block, neuron.uid, rescale(weights))
    this.#neurons.set(block, neuron.uid, { ...neuron, lastUpdate: block })
    return null
  }
}
