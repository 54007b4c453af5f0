import {
  type Chain,
  type Commitment,
  type CommitmentSlot,
  decodeCommitment,
  type Neuron,
  readSlot,
  type Snapshot,
} from '@affine/chain'

/** What a subnet has of a registered hotkey. */
export interface Seat {
  readonly neuron: Neuron
  readonly slot: CommitmentSlot | undefined
  /** What the slot says; null without a slot, or if the slot is not of this protocol. */
  readonly said: Commitment | null
}

/** The seat of a hotkey; undefined when it is not registered. */
export function seatOf(hotkey: string, { neurons, commitments }: Snapshot): Seat | undefined {
  const neuron = neurons.find((each) => each.hotkey === hotkey)
  if (neuron === undefined) return undefined
  const slot = commitments.find((each) => each.hotkey === hotkey)
  const said = slot === undefined ? null : decodeCommitment(slot.fields, hotkey)
  return { neuron, slot, said }
}

/** The same at the chain's head. */
export async function seatNow(hotkey: string, chain: Chain): Promise<Seat | undefined> {
  return seatOf(hotkey, await chain.snapshot((await chain.head()).number))
}

/** What a seat's slot holds, as a text. It is untrusted: print it with `printable`. */
export function slotText({ slot, said }: Seat): string {
  if (slot === undefined) return 'none yet'
  const kind = said?.kind ?? 'unreadable'
  return `block ${slot.block}, ${kind}: ${JSON.stringify(readSlot(slot).says)}`
}
