import type { CommitmentSlot, Neuron, UidWeights } from '../chain.ts'
import type { Refusal } from '../chain-error.ts'
import { MAX_FIELD_BYTES, MAX_FIELDS } from '../commitment.ts'
import type { Extrinsic, LogSetup, Params } from './log.ts'

/** Minimum size that a commitment counts as, in bytes. */
const MIN_COMMITMENT_BYTES = 100

/**
 * A commitment slot with its fields in hex. `bytes` counts this commitment and the earlier
 * commitments of its hotkey in the same tempo.
 */
type Slot = Omit<CommitmentSlot, 'fields'> & {
  readonly fields: readonly string[]
  readonly bytes: number
}

/** The subnet at a block. Collections are replaced, never mutated, because blocks share them. */
export interface Ledger {
  readonly params: Params
  readonly block: number
  /** By uid. */
  neurons: readonly Neuron[]
  weights: ReadonlyMap<string, UidWeights>
  slots: ReadonlyMap<string, Slot>
  /** The lowest next nonce of each hotkey. */
  nonces: ReadonlyMap<string, number>
}

/**
 * Returns the subnet before block 0. Up to `maxValidators` neurons have permits: the highest stakes
 * that are above 0 and not below the threshold. Of equal stakes, the higher uid comes first.
 */
export function createLedger({ params, neurons }: LogSetup): Ledger {
  const unpermitted = neurons.map(({ hotkey, stake }, uid): Neuron => {
    const own = { uid, hotkey, stake: BigInt(stake) }
    return { ...own, permit: false, registered: 0, lastUpdate: 0 }
  })
  const permitted = unpermitted
    .filter(({ stake }) => stake > 0n && stake >= params.stakeThreshold)
    .sort((a, b) => Number(b.stake - a.stake) || b.uid - a.uid)
    .slice(0, params.maxValidators)
  return {
    params,
    block: 0,
    neurons: unpermitted.map((each) => ({ ...each, permit: permitted.includes(each) })),
    weights: new Map(),
    slots: new Map(),
    nonces: new Map(),
  }
}

/**
 * Applies a call and returns null, or returns its refusal and changes at most the nonce. The checks
 * are subtensor's, in subtensor's order, except those of balances. Does not check signatures.
 */
export function apply(ledger: Ledger, { hotkey, nonce, until, call }: Extrinsic): Refusal | null {
  if (ledger.block > until) return 'AncientBirthBlock'
  if (nonce < (ledger.nonces.get(hotkey) ?? 0)) return 'Stale'
  ledger.nonces = new Map(ledger.nonces).set(hotkey, nonce + 1)
  const neuron = ledger.neurons.find((each) => each.hotkey === hotkey)
  if ('fields' in call) return commit(ledger, neuron, call.fields)
  if ('register' in call) return register(ledger, neuron, hotkey)
  return setWeights(ledger, neuron, call.weights)
}

type CallRule<Content> = (
  ledger: Ledger,
  neuron: Neuron | undefined,
  content: Content,
) => Refusal | null

const commit: CallRule<readonly string[]> = (ledger, neuron, fields) => {
  if (!neuron) return 'AccountNotAllowedCommit'
  if (fields.length > MAX_FIELDS) return 'TooManyFieldsInCommitmentInfo'
  if (fields.some(({ length }) => length / 2 > MAX_FIELD_BYTES)) return 'FieldTooLong'
  const { block, params } = ledger
  const { hotkey } = neuron
  const last = ledger.slots.get(hotkey)
  const computeTempo = (number: number) => Math.floor(number / params.tempo)
  const before = last && computeTempo(last.block) === computeTempo(block) ? last.bytes : 0
  const bytes = before + Math.max(MIN_COMMITMENT_BYTES, fields.join('').length / 2)
  if (bytes > params.commitmentBytes) return 'SpaceLimitExceeded'
  ledger.slots = new Map(ledger.slots).set(hotkey, { hotkey, block, fields, bytes })
  return null
}

/**
 * Registers a hotkey without stake and permit. On a full subnet it replaces another neuron and gets
 * its uid: the permit and weights of that neuron are removed, weights for it become 0, and its
 * commitment remains.
 */
const register: CallRule<string> = (ledger, neuron, hotkey) => {
  if (neuron) return 'HotKeyAlreadyRegisteredInSubNet'
  const { block, neurons, params, weights } = ledger
  const isFull = neurons.length >= params.maxUids
  const evicted = isFull ? neuronToPrune(ledger) : undefined
  if (isFull && evicted === undefined) return 'NoNeuronIdAvailable'
  const uid = evicted?.uid ?? neurons.length
  const seat = { uid, hotkey, stake: 0n, permit: false, registered: block, lastUpdate: block }
  ledger.neurons = [...neurons.slice(0, uid), seat, ...neurons.slice(uid + 1)]
  if (evicted) ledger.weights = removeWeights(weights, evicted)
  return null
}

function removeWeights(weights: Ledger['weights'], { uid, hotkey }: Neuron): Ledger['weights'] {
  const others = [...weights].filter(([voter]) => voter !== hotkey)
  return new Map(
    others.map(([voter, row]) => [
      voter,
      row.map(([to, weight]) => [to, to === uid ? 0 : weight] as const),
    ]),
  )
}

/** Returns the subnet's owner, the neuron that was registered first. It is never replaced. */
export const findOwner = ({ neurons }: Ledger): Neuron | undefined => neurons[0]

/**
 * Returns the neuron that a registration on a full subnet replaces, or undefined if there is none.
 * The owner is neither replaced nor counted. Candidates are the neurons that are not immune, if
 * there are more than `minNonImmuneUids` of them, and otherwise the immune neurons. The candidate
 * with the least emission is replaced; of equal emissions, the oldest registration; of equal
 * registrations, the lowest uid.
 *
 * Source: subtensor, `get_neuron_to_prune`. On a local chain, the owner has only one neuron.
 */
function neuronToPrune(ledger: Ledger): Neuron | undefined {
  const { block, neurons, params } = ledger
  const emissions = computeEmissions(ledger)
  const emissionOf = (neuron: Neuron): bigint => emissions.get(neuron) ?? 0n
  const isImmune = ({ registered }: Neuron): boolean => block - registered < params.immunityPeriod
  const inOrder = neurons.slice(1).sort((a, b) => {
    const byEmission = Number(emissionOf(a) - emissionOf(b))
    return byEmission || a.registered - b.registered || a.uid - b.uid
  })
  const free = inOrder.filter((neuron) => !isImmune(neuron))
  return free.length > params.minNonImmuneUids ? free[0] : inOrder.find(isImmune)
}

/**
 * Returns the emission of neurons by the weights in force, without a unit, only for comparison. A
 * neuron without emission is missing.
 *
 * If validators with at least half of all validators' stake give weight to a neuron, the neuron's
 * incentive is their stake, and the dividends of each of them are its own stake. Without any
 * incentive, all neurons with a permit have dividends. Yuma consensus has this result if each
 * validator gives all its weight to one neuron, and otherwise gives emission to the same neurons in
 * other shares. The model ignores earlier tempos.
 *
 * Source: subtensor, `epoch_mechanism`.
 */
function computeEmissions(ledger: Ledger): ReadonlyMap<Neuron, bigint> {
  const voters = ledger.neurons.filter(({ permit }) => permit)
  const paid = new Set<Neuron>()
  const emissions = new Map<Neuron, bigint>()
  for (const neuron of ledger.neurons) {
    const backers = voters.filter((voter) => hasWeightFor(voter, neuron, ledger))
    const incentive = sumStakes(backers)
    if (backers.length === 0 || 2n * incentive < sumStakes(voters)) continue
    emissions.set(neuron, incentive)
    for (const backer of backers) paid.add(backer)
  }
  for (const voter of paid.size > 0 ? paid : voters)
    emissions.set(voter, (emissions.get(voter) ?? 0n) + voter.stake)
  return emissions
}

/**
 * Reports whether a voter gives a neuron weight. A voter's weight for itself counts only if the
 * voter is the owner.
 */
function hasWeightFor(voter: Neuron, { uid }: Neuron, ledger: Ledger): boolean {
  if (uid === voter.uid && voter !== findOwner(ledger)) return false
  return ledger.weights.get(voter.hotkey)?.some(([to, weight]) => to === uid && weight > 0) ?? false
}

const sumStakes = (neurons: readonly Neuron[]): bigint =>
  neurons.reduce((sum, { stake }) => sum + stake, 0n)

const setWeights: CallRule<UidWeights> = (ledger, neuron, weights) => {
  const { block, neurons, params } = ledger
  const uids = new Set(weights.map(([uid]) => uid))
  const stake = neuron?.stake ?? 0n
  if (stake < params.stakeThreshold) return 'StakeAmountTooLow' // subtensor's pool checks it first
  if (weights.length > neurons.length) return 'UidsLengthExceedUidsInSubNet'
  if (!neuron) return 'HotKeyNotRegisteredInSubNet'
  const { uid, permit, lastUpdate } = neuron
  const hasSetBefore = lastUpdate !== 0
  if (hasSetBefore && block - lastUpdate < params.weightsRateLimit) return 'SettingWeightsTooFast'
  const isForItself = weights.length === 1 && uids.has(uid)
  if (!permit && !isForItself) return 'NeuronNoValidatorPermit'
  if (uids.size < weights.length) return 'DuplicateUids'
  if (Math.max(...uids) >= neurons.length) return 'UidVecContainInvalidOne'
  if (weights.length === 0) return 'WeightVecLengthIsLow'
  ledger.weights = new Map(ledger.weights).set(neuron.hotkey, weights)
  ledger.neurons = neurons.map((other) =>
    other === neuron ? { ...neuron, lastUpdate: block } : other,
  )
  return null
}
