import type { CommitmentSlot, Neuron, UidWeights } from '../chain.ts'
import type { Refusal } from '../chain-error.ts'
import { MAX_FIELD_BYTES, MAX_FIELDS } from '../commitment.ts'
import type { Extrinsic, LogSetup, Params } from './log.ts'

/** The bytes that a shorter commitment counts as. */
const MIN_COMMITMENT_BYTES = 100

/**
 * A commitment slot with its fields in hex. `bytes` is how many bytes its hotkey has committed in
 * the tempo of `block`.
 */
type Slot = Omit<CommitmentSlot, 'fields'> & {
  readonly fields: readonly string[]
  readonly bytes: number
}

/**
 * The subnet at a block. Collections are replaced, never changed, as blocks share those that stayed
 * the same.
 */
export interface Ledger {
  readonly params: Params
  readonly block: number
  /** By uid. */
  neurons: readonly Neuron[]
  weights: ReadonlyMap<string, UidWeights>
  slots: ReadonlyMap<string, Slot>
  /** The lowest nonce that each hotkey may use next. */
  nonces: ReadonlyMap<string, number>
}

/** The subnet before block 0. Uids follow the order of the setup. */
export function firstLedgerOf({ params, neurons }: LogSetup): Ledger {
  const staked = neurons.map(({ hotkey, stake }, uid) => ({ hotkey, stake: BigInt(stake), uid }))
  const permitted = permittedUids(staked, params)
  return {
    params,
    block: 0,
    neurons: staked.map((neuron) => ({
      ...neuron,
      permit: permitted.has(neuron.uid),
      registered: 0,
      lastUpdate: 0,
    })),
    weights: new Map(),
    slots: new Map(),
    nonces: new Map(),
  }
}

type Staked = Pick<Neuron, 'uid' | 'stake'>

/** Permits go to the highest stakes that reach the threshold, and in a tie to the higher uid. */
function permittedUids(
  neurons: readonly Staked[],
  { stakeThreshold, maxValidators }: Params,
): ReadonlySet<number> {
  const able = neurons.filter(({ stake }) => stake > 0n && stake >= stakeThreshold)
  const best = able.sort(byStakeDownwards).slice(0, maxValidators)
  return new Set(best.map(({ uid }) => uid))
}

function byStakeDownwards(a: Staked, b: Staked): number {
  if (a.stake === b.stake) return b.uid - a.uid
  return a.stake > b.stake ? -1 : 1
}

/**
 * Carries out a call and returns null, or returns its refusal and changes at most the nonce. The
 * checks are those of subtensor's `set_weights` and `set_commitment`, in their order, and for a
 * registration those that need no balance. Signatures are not checked.
 */
export function apply(ledger: Ledger, { hotkey, nonce, until, call }: Extrinsic): Refusal | null {
  if (ledger.block > until) return 'AncientBirthBlock'
  if (nonce < (ledger.nonces.get(hotkey) ?? 0)) return 'Stale'
  ledger.nonces = new Map(ledger.nonces).set(hotkey, nonce + 1)
  const neuron = ledger.neurons.find((one) => one.hotkey === hotkey)
  if ('fields' in call) return commit(ledger, neuron, call.fields)
  if ('register' in call) return register(ledger, neuron, hotkey)
  return setWeights(ledger, neuron, call.weights)
}

function commit(
  ledger: Ledger,
  neuron: Neuron | undefined,
  fields: readonly string[],
): Refusal | null {
  if (!neuron) return 'AccountNotAllowedCommit'
  if (fields.length > MAX_FIELDS) return 'TooManyFieldsInCommitmentInfo'
  if (fields.some(({ length }) => length / 2 > MAX_FIELD_BYTES)) return 'FieldTooLong'
  const { block, params } = ledger
  const { hotkey } = neuron
  const added = Math.max(MIN_COMMITMENT_BYTES, fields.join('').length / 2)
  const bytes = bytesInTempo(ledger, hotkey) + added
  if (bytes > params.commitmentBytes) return 'SpaceLimitExceeded'
  ledger.slots = new Map(ledger.slots).set(hotkey, { hotkey, block, fields, bytes })
  return null
}

/**
 * Registers a hotkey, without stake and so without a permit. On a full subnet it takes the uid of
 * another neuron, whose permit and weights go, as do weights for it. Its commitment stays.
 */
function register(ledger: Ledger, neuron: Neuron | undefined, hotkey: string): Refusal | null {
  if (neuron) return 'HotKeyAlreadyRegisteredInSubNet'
  const { block, neurons, params, weights } = ledger
  const isFull = neurons.length >= params.maxUids
  const evicted = isFull ? neuronToPrune(ledger) : undefined
  if (isFull && evicted === undefined) return 'NoNeuronIdAvailable'
  const uid = evicted?.uid ?? neurons.length
  const seat = { uid, hotkey, stake: 0n, permit: false, registered: block, lastUpdate: block }
  ledger.neurons = [...neurons.slice(0, uid), seat, ...neurons.slice(uid + 1)]
  if (evicted) ledger.weights = weightsWithout(weights, evicted)
  return null
}

/** The rows of all others, in which the neuron has a weight of 0. */
function weightsWithout(weights: Ledger['weights'], { uid, hotkey }: Neuron): Ledger['weights'] {
  const others = [...weights].filter(([voter]) => voter !== hotkey)
  return new Map(
    others.map(([voter, row]) => [
      voter,
      row.map(([to, weight]) => [to, to === uid ? 0 : weight] as const),
    ]),
  )
}

/** The subnet's owner is the neuron that was registered first. It is never replaced. */
export const ownerOf = ({ neurons }: Pick<Ledger, 'neurons'>): Neuron | undefined => neurons[0]

/** What decides which neuron is replaced. */
type Seats = Pick<Ledger, 'block' | 'neurons' | 'params' | 'weights'>

/**
 * The neuron that a registration on a full subnet replaces: of those that are not immune, if they
 * are more than `minNonImmuneUids`, else of the immune, that with the least emission, then the
 * oldest registration, then the lowest uid. Undefined if there is none.
 *
 * Source: subtensor, `get_neuron_to_prune`. A local owner has one hotkey.
 */
export function neuronToPrune(ledger: Seats): Neuron | undefined {
  const { block, neurons, params } = ledger
  const emissions = emissionsOf(ledger)
  const emissionOf = (neuron: Neuron): bigint => emissions.get(neuron) ?? 0n
  const isImmune = ({ registered }: Neuron): boolean => block - registered < params.immunityPeriod
  const inOrder = neurons.slice(1).sort((a, b) => {
    if (emissionOf(a) !== emissionOf(b)) return emissionOf(a) < emissionOf(b) ? -1 : 1
    return a.registered - b.registered || a.uid - b.uid
  })
  const free = inOrder.filter((neuron) => !isImmune(neuron))
  return free.length > params.minNonImmuneUids ? free[0] : inOrder.find(isImmune)
}

/**
 * The emission of neurons, in no unit but to compare: that of the weights in force, with nothing
 * for a neuron that has none.
 *
 * It is what Yuma consensus gives where each validator gives all its weight to one neuron. A neuron
 * that half of the stake of all permits gives weight has that stake as its incentive. Each of its
 * validators has its own stake as dividends. If no neuron has an incentive, all with a permit have
 * theirs. Of weights on several neurons, Yuma gives the same neurons emission, but in other shares.
 * Left out are the wait for the end of the tempo, bonds of earlier tempos, and that validators lose
 * their dividends when they have set no weights for long.
 *
 * Source: subtensor, `epoch_mechanism`.
 */
function emissionsOf(ledger: Seats): ReadonlyMap<Neuron, bigint> {
  const voters = ledger.neurons.filter(({ permit }) => permit)
  const paid = new Set<Neuron>()
  const emissions = new Map<Neuron, bigint>()
  for (const neuron of ledger.neurons) {
    const backers = voters.filter((voter) => doesBack(voter, neuron, ledger))
    const incentive = stakeOf(backers)
    if (backers.length === 0 || 2n * incentive < stakeOf(voters)) continue
    emissions.set(neuron, incentive)
    for (const backer of backers) paid.add(backer)
  }
  for (const voter of paid.size > 0 ? paid : voters)
    emissions.set(voter, (emissions.get(voter) ?? 0n) + voter.stake)
  return emissions
}

/** Does a voter give a neuron weight? Of weights for oneself only the owner's count. */
function doesBack(voter: Neuron, { uid }: Neuron, ledger: Seats): boolean {
  if (uid === voter.uid && voter !== ownerOf(ledger)) return false
  return ledger.weights.get(voter.hotkey)?.some(([to, weight]) => to === uid && weight > 0) ?? false
}

const stakeOf = (neurons: readonly Neuron[]): bigint =>
  neurons.reduce((sum, { stake }) => sum + stake, 0n)

/** How many bytes the hotkey has committed in the tempo of the ledger's block. */
function bytesInTempo({ block, params, slots }: Ledger, hotkey: string): number {
  const last = slots.get(hotkey)
  if (last === undefined) return 0
  const tempoOf = (number: number) => Math.floor(number / params.tempo)
  return tempoOf(last.block) === tempoOf(block) ? last.bytes : 0
}

function setWeights(
  ledger: Ledger,
  neuron: Neuron | undefined,
  weights: UidWeights,
): Refusal | null {
  const { block, neurons, params } = ledger
  const uids = new Set(weights.map(([uid]) => uid))
  const stake = neuron?.stake ?? 0n
  if (stake < params.stakeThreshold) return 'StakeAmountTooLow' // checked before a block takes it
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
