import type { Neuron, UidWeights } from '../chain.ts'
import type { Params } from './log.ts'

/** What decides who is evicted: a subnet's neurons by uid, and the weights in force, at a block. */
interface Seats {
  readonly params: Params
  readonly block: number
  readonly neurons: readonly Neuron[]
  readonly weights: ReadonlyMap<string, UidWeights>
}

/** The subnet's owner is the neuron that was registered first. It is never replaced. */
export const ownerOf = ({ neurons }: Pick<Seats, 'neurons'>): Neuron | undefined => neurons[0]

/**
 * The neuron that a registration on a full subnet replaces: of those that are not immune, if they
 * are more than `minNonImmuneUids`, else of the immune, that with the least emission, then the
 * oldest registration, then the lowest uid. Undefined if there is none.
 *
 * Source: subtensor, `get_neuron_to_prune`. A local owner has one hotkey.
 */
export function neuronToPrune(seats: Seats): Neuron | undefined {
  const { block, neurons, params } = seats
  const emissions = emissionsOf(seats)
  const emissionOf = ({ uid }: Neuron): bigint => emissions.get(uid) ?? 0n
  const isImmune = ({ registered }: Neuron): boolean => block - registered < params.immunityPeriod
  const inOrder = neurons
    .filter((neuron) => neuron !== ownerOf(seats))
    .sort((a, b) => {
      if (emissionOf(a) !== emissionOf(b)) return emissionOf(a) < emissionOf(b) ? -1 : 1
      return a.registered - b.registered || a.uid - b.uid
    })
  const free = inOrder.filter((neuron) => !isImmune(neuron))
  return free.length > params.minNonImmuneUids ? free[0] : inOrder.find(isImmune)
}

/**
 * The emission of neurons by uid, in no unit but to compare: that of the weights in force, with
 * nothing for a neuron that has none.
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
function emissionsOf(seats: Seats): ReadonlyMap<number, bigint> {
  const voters = seats.neurons.filter(({ permit }) => permit)
  const all = stakeOf(voters)
  const emissions = new Map<number, bigint>()
  const paid = new Set<Neuron>()
  for (const [uid, backers] of backersByUid(seats, voters)) {
    const incentive = stakeOf(backers)
    if (2n * incentive < all) continue
    emissions.set(uid, incentive)
    for (const backer of backers) paid.add(backer)
  }
  for (const { uid, stake } of paid.size > 0 ? paid : voters)
    emissions.set(uid, (emissions.get(uid) ?? 0n) + stake)
  return emissions
}

/** The voters that give a neuron weight. Of weights for oneself only the owner's count. */
function backersByUid(
  seats: Seats,
  voters: readonly Neuron[],
): ReadonlyMap<number, readonly Neuron[]> {
  const owner = ownerOf(seats)
  const backers = new Map<number, Neuron[]>()
  for (const voter of voters) {
    const row = seats.weights.get(voter.hotkey) ?? []
    const counted = row.filter(
      ([uid, weight]) => weight > 0 && (uid !== voter.uid || voter === owner),
    )
    for (const [uid] of counted) backers.set(uid, [...(backers.get(uid) ?? []), voter])
  }
  return backers
}

const stakeOf = (neurons: readonly Neuron[]): bigint =>
  neurons.reduce((sum, { stake }) => sum + stake, 0n)
