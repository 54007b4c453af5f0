import {
  type Chain,
  ChainError,
  type Commitment,
  decimalOf,
  decodeCommitment,
  type Neuron,
  readSlot,
  type SlotRecord,
  type Snapshot,
} from '@affine/chain'
import { shown } from '@affine/terminal'
import { type Finding, found, slotText } from './findings.ts'

/** What a subnet has of a registered hotkey. */
export interface Seat {
  readonly neuron: Neuron
  /** The record of its commitment slot; empty without a slot. */
  readonly slot: Partial<SlotRecord>
  /** What the slot says; null without a slot, or if the slot is not of this protocol. */
  readonly said: Commitment | null
}

/** The seat of a hotkey; undefined when it is not registered. */
export function seatOf(hotkey: string, { neurons, commitments }: Snapshot): Seat | undefined {
  const neuron = neurons.find((each) => each.hotkey === hotkey)
  if (neuron === undefined) return undefined
  const slot = commitments.find((each) => each.hotkey === hotkey)
  const said = slot === undefined ? null : decodeCommitment(slot.fields, hotkey)
  return { neuron, slot: slot === undefined ? {} : readSlot(slot), said }
}

/**
 * The seat of a hotkey at the chain's head, and all that the chain holds there.
 * @throws ChainError when the hotkey is not registered.
 */
export async function ownSeat(
  chain: Chain,
  hotkey: string,
): Promise<{ readonly seat: Seat; readonly snapshot: Snapshot }> {
  const snapshot = await chain.snapshot((await chain.head()).number)
  const seat = seatOf(hotkey, snapshot)
  if (seat !== undefined) return { seat, snapshot }
  const advice = `register ${hotkey} on subnet ${chain.netuid} first`
  throw new ChainError('HotKeyNotRegisteredInSubNet', advice)
}

/** What may not be overwritten unasked, and what its hotkey was to do instead. */
const HELD = {
  miner: ["a miner's model", 'validate'],
  validator: ['what a validator wrote', 'commit'],
} as const

/** @throws Error when the seat's slot holds what such a one wrote. */
export function expectNothingOf(writer: keyof typeof HELD, seat: Seat): void {
  if (!seat.said || (seat.said.kind === 'miner') !== (writer === 'miner')) return
  const [what, act] = HELD[writer]
  const advice = `${act} with another hotkey, or with --overwrite`
  throw new Error(`the slot has ${what} (${shown(slotText(seat.slot))}): ${advice}`)
}

/** What a hotkey that has committed nothing needs on chain, to become a validator or a miner. */
export function checkValidator(seat: Seat): readonly Finding[] {
  const { permit, stake } = seat.neuron
  return [
    found(permit ? 'PERMIT' : 'NO_PERMIT', {}),
    found(stake > 0n ? 'STAKE' : 'NO_STAKE', { tao: decimalOf(stake) }),
    checkCommitment(seat),
  ]
}

function checkCommitment({ neuron, slot, said }: Seat): Finding {
  if (said?.kind === 'miner') return found('SLOT_HELD', slot)
  if (said !== null) return found('SLOT', slot)
  // A running validator overwrites a slot that cannot be read.
  const isFree = slot.block === undefined || neuron.permit
  return found(isFree ? 'SLOT_FREE' : 'SLOT_UNREADABLE', slot)
}

/** When a validator set weights last, given the newest block and the length of an epoch. */
export function checkLastWeights({ neuron }: Seat, block: number, epochBlocks: number): Finding {
  const blocks = block - neuron.lastUpdate
  return found(blocks <= 2 * epochBlocks ? 'WEIGHTS_SET' : 'WEIGHTS_OLD', { blocks })
}
