import { decodeCommitment, type Neuron, type Snapshot, type UidWeights } from '@affine/chain'
import { computeTrust, listPlaying, orderQueue, type State, stateRoot } from '@affine/duel'
import {
  decodeCommitments,
  duelSnapshot,
  type EpochPosition,
  type EpochResult,
  locateBlock,
  type Network,
  type Subnet,
} from '@affine/settlement'
import { type DuelTurn, listTurns } from './duel-facts.ts'
import { describeEpoch, type EpochFacts, exportEpoch, type LaneFacts } from './epoch-facts.ts'
import {
  describeWait,
  type EpochRange,
  type Eviction,
  estimateTurn,
  predictEviction,
} from './queue-wait.ts'

/** The state of a subnet at its chain's head. */
export interface SubnetStatus {
  /** State that governs the head's epoch. */
  readonly state: State
  /** Previous epoch. Undefined in the first epoch. */
  readonly last: EpochResult | undefined
  /** Facts of the previous epoch. */
  readonly facts: EpochFacts | undefined
  readonly duels: readonly DuelTurn[]
  /** Number of the head. */
  readonly block: number
  /** Position of `block` in its epoch. */
  readonly place: EpochPosition
  /** All neurons, as `listQueue` returns them. */
  readonly queue: readonly QueueEntry[]
  readonly rows: readonly ValidatorStatus[]
}

/** A validator. Its stake is in rao. */
export interface ValidatorStatus extends Pick<Neuron, 'uid' | 'hotkey' | 'stake'> {
  /**
   * Whether it has a permit, weights in force and no miner's commitment, but attested nothing in
   * the last `quorumEpochs` epochs.
   */
  readonly isIdle: boolean
  /** Lane in the previous epoch, if one was due. */
  readonly lane: LaneFacts | undefined
  /** Trust in ppm. */
  readonly trust: number
  /** Latest seal or attestation. */
  readonly committed: { readonly kind: string; readonly epoch: number } | undefined
  /** Neurons that receive its weights in force. */
  readonly weights: readonly Pick<Neuron, 'uid' | 'hotkey'>[]
}

/**
 * Reads the state of a subnet at its chain's head. `state` governs the head's epoch; `last` is the
 * epoch before.
 */
export async function readStatus(
  { chain, network }: Subnet,
  state: State,
  last: EpochResult | undefined,
): Promise<SubnetStatus> {
  const { number: block } = await chain.head()
  const snapshot = await chain.snapshot(block)
  const weights = await chain.weights(block)
  const place = locateBlock(block, network.protocol)
  const queue = listQueue(state, snapshot, network)
  const facts = last && describeEpoch(last)
  const rows = listValidators(state, snapshot, weights, facts?.lanes)
  const duels = listTurns(state)
  return { state, last, facts, duels, block, place, queue, rows }
}

/** Returns the validators: neurons with a permit, with weights in force, or with recorded trust. */
export function listValidators(
  { trust, attested }: Pick<State, 'trust' | 'attested'>,
  snapshot: Snapshot,
  weights: Readonly<Record<string, UidWeights>>,
  lanes: readonly LaneFacts[] = [],
): readonly ValidatorStatus[] {
  const { neurons } = snapshot
  const commitments = decodeCommitments(snapshot)
  const hotkeys = new Map(neurons.map(({ uid, hotkey }) => [uid, hotkey]))
  const isValidator = ({ hotkey, permit }: Neuron): boolean =>
    permit || Object.hasOwn(weights, hotkey) || Object.hasOwn(trust, hotkey)
  return neurons.filter(isValidator).map(({ uid, hotkey, stake, permit }) => {
    const commitment = commitments.get(hotkey)
    const committed = commitment?.kind === 'miner' ? undefined : commitment
    const recipients = (weights[hotkey] ?? []).map(([recipient]) => recipient)
    const isActive = attested === undefined || Object.hasOwn(attested, hotkey)
    return {
      uid,
      hotkey,
      stake,
      isIdle: permit && recipients.length > 0 && !isActive && commitment?.kind !== 'miner',
      lane: lanes.find(({ validator }) => validator === hotkey),
      trust: computeTrust(trust[hotkey]),
      committed: committed && { kind: committed.kind, epoch: committed.epoch },
      weights: recipients.map((uid) => ({ uid, hotkey: hotkeys.get(uid) ?? '' })),
    }
  })
}

/** Returns the status for `--json`. */
export function exportStatus(status: SubnetStatus): object {
  const { state, last, facts: _, block, place, ...found } = status
  const { champion, ratio } = state
  const throne = { root: stateRoot(state), ratio, champion }
  return { block, ...place, ...throne, ...found, last: last && exportEpoch(last) }
}

/** A neuron's position in the queue, or the reason that it has no position. */
export type QueueEntry = Pick<Neuron, 'uid' | 'hotkey'> & {
  /** Position in the queue, from 1. */
  readonly place: number | undefined
  /** Block of the commitment. */
  readonly block: number | undefined
  /** Estimated epochs until the turn of a waiting miner. */
  readonly turn?: EpochRange
  /** Eviction of a waiting miner without earnings. */
  readonly eviction?: Eviction | undefined
  /**
   * First epoch in which the model's files must be public and the chute awake: the earliest epoch
   * of its turn if the miner waits, the current epoch if it plays.
   */
  readonly readyBy?: number | undefined
  /** State of the neuron in words that follow its name, as in "is the champion". */
  readonly why: string
}

/**
 * Returns every neuron: the queue in the epoch that `state` governs, next contender first, then the
 * others by uid.
 */
export function listQueue(
  state: State,
  snapshot: Snapshot,
  { protocol }: Network,
): readonly QueueEntry[] {
  const contenders = orderQueue(state, duelSnapshot(snapshot, state.epoch, protocol))
  const waiting = contenders.map(({ hotkey }) => hotkey)
  const rows = snapshot.neurons.map((neuron): QueueEntry => {
    const { uid, hotkey } = neuron
    const row = { uid, hotkey, block: findSlot(snapshot, hotkey)?.block }
    const place = waiting.indexOf(hotkey) + 1
    if (place === 0) {
      const readyBy = listPlaying(state).has(hotkey) ? state.epoch : undefined
      return { place: undefined, ...row, readyBy, why: explainAbsence(hotkey, snapshot, state) }
    }
    const turn = estimateTurn(place, state)
    const eviction = predictEviction(neuron, snapshot, state)
    const why = describeWait([place, waiting.length], turn, eviction)
    return { place, ...row, turn, eviction, readyBy: state.epoch + turn.least, why }
  })
  return rows.sort((a, b) => (a.place ?? Infinity) - (b.place ?? Infinity) || a.uid - b.uid)
}

/**
 * Returns one line with the first epoch in which a miner's files and chute must be available, if
 * the miner plays or waits.
 */
export function formatReadiness(entry: Pick<QueueEntry, 'readyBy' | 'turn'>): readonly string[] {
  const { readyBy, turn } = entry
  if (readyBy === undefined) return []
  const what = "its model's files must be public, and its chute awake,"
  if (turn === undefined) return [`${what} now`]
  const epochs = turn.least === 1 ? 'the next epoch' : `about ${turn.least} epochs from now`
  return [`${what} from epoch ${readyBy} on, ${epochs}`]
}

const findSlot = ({ commitments }: Snapshot, hotkey: string) =>
  commitments.find((slot) => slot.hotkey === hotkey)

/** Returns the reason a neuron does not wait. */
function explainAbsence(hotkey: string, snapshot: Snapshot, { champion, duels }: State) {
  const fields = findSlot(snapshot, hotkey)?.fields
  const commitment = fields && decodeCommitment(fields, hotkey)
  if (champion?.hotkey === hotkey) return 'is the champion'
  if (duels.some(({ contender }) => contender.hotkey === hotkey)) return 'contends'
  if (!fields) return 'has no commitment'
  if (commitment?.kind === 'miner')
    return 'had its duel with this commitment, and needs another to play again'
  if (commitment) return `has a validator's commitment: ${commitment.kind}`
  // Every model ends with the empty text, so if the fields decode with it as the hotkey, only the
  // hotkey at the end of the model is wrong.
  if (decodeCommitment(fields, '') !== null) return 'its model does not end with its hotkey'
  return 'has no valid commitment'
}
