import { decodeCommitment, type Snapshot } from '@affine/chain'
import { contentOf, nextContenders, type State } from '@affine/duel'
import { duelSnapshot, type Network } from '@affine/settlement'

/** Where a neuron is in the queue, or why it is not in it. */
export type QueueEntry = {
  /** Its place among the miners that wait, from 1. */
  readonly place: number | undefined
  readonly uid: number
  readonly hotkey: string
  /** The block of its commitment. */
  readonly block: number | undefined
  readonly why: string
}

/** The miners that wait for a duel, and the place of every neuron. */
export interface MinerQueue {
  /** The hotkeys that wait, the next first. */
  readonly waiting: readonly string[]
  /** In the same order, every neuron: its place among them, or why it has none. */
  readonly rows: readonly QueueEntry[]
}

/** The queue of a subnet in the epoch that `state` governs. */
export function queueIn(state: State, snapshot: Snapshot, { protocol }: Network): MinerQueue {
  const contenders = nextContenders(state, duelSnapshot(snapshot, state.epoch, protocol))
  const waiting = contenders.map(({ hotkey }) => hotkey)
  const rows = snapshot.neurons.map(({ uid, hotkey }): QueueEntry => {
    const block = slotOf(snapshot, hotkey)?.block
    if (!waiting.includes(hotkey)) {
      const why = reasonOf(hotkey, snapshot, state)
      return { place: undefined, uid, hotkey, block, why }
    }
    const place = waiting.indexOf(hotkey) + 1
    return { place, uid, hotkey, block, why: `waits, at place ${place} of ${waiting.length}` }
  })
  rows.sort((a, b) => (a.place ?? Infinity) - (b.place ?? Infinity) || a.uid - b.uid)
  return { waiting, rows }
}

const slotOf = ({ commitments }: Snapshot, hotkey: string) =>
  commitments.find((slot) => slot.hotkey === hotkey)

/** Why a neuron is not in the queue. */
function reasonOf(hotkey: string, snapshot: Snapshot, { champion, duel }: State) {
  const fields = slotOf(snapshot, hotkey)?.fields
  const said = fields && decodeCommitment(fields, hotkey)
  const content = said?.kind === 'miner' ? contentOf({ ...said, hotkey }) : undefined
  if (champion && contentOf(champion) === content) return 'is the champion'
  if (duel && contentOf(duel.contender) === content) return 'is the contender'
  if (!fields) return 'has committed nothing'
  if (content) return 'had its turn with this commitment'
  if (said) return `has a validator's commitment: ${said.kind}`
  // Every model contains an empty hotkey.
  if (decodeCommitment(fields, '') !== null) return 'its model does not contain its hotkey'
  return 'has no valid commitment'
}
