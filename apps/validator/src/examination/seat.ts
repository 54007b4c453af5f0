import {
  type Chain,
  ChainError,
  decodeCommitment,
  formatTao,
  readSlot,
  type SlotRecord,
  type Snapshot,
} from '@affine/chain'
import { formatValue } from '@affine/terminal'
import { type Finding, formatSlot, note } from './findings.ts'

/** A registered neuron, the record of its slot, and the commitment in it. */
export type Seat = NonNullable<ReturnType<typeof findSeat>>

/**
 * Returns the seat of a hotkey; undefined if it is not registered. `slot` is empty without a slot,
 * and `commitment` is null without a slot or if the slot is not of this protocol.
 */
export function findSeat(hotkey: string, { neurons, commitments }: Snapshot) {
  const neuron = neurons.find((each) => each.hotkey === hotkey)
  if (neuron === undefined) return undefined
  const written = commitments.find((each) => each.hotkey === hotkey)
  const slot: Partial<SlotRecord> = written === undefined ? {} : readSlot(written)
  return { neuron, slot, commitment: written ? decodeCommitment(written.fields, hotkey) : null }
}

/**
 * Reads the seat of a hotkey at the chain's head, and the snapshot there.
 * @throws ChainError if the hotkey is not registered.
 */
export async function readOwnSeat(chain: Chain, hotkey: string) {
  const snapshot = await chain.snapshot((await chain.head()).number)
  const seat = findSeat(hotkey, snapshot)
  if (seat !== undefined) return { seat, snapshot }
  const advice = `register ${hotkey} on subnet ${chain.netuid} first`
  throw new ChainError('HotKeyNotRegisteredInSubNet', advice)
}

/** For each writer, its commitments, and the command that replaces them only with --overwrite. */
const FOREIGN = {
  miner: ["a miner's model", 'validate'],
  validator: ["a validator's commitment", 'commit'],
} as const

/** @throws Error if the seat's slot contains a commitment of `writer`. */
export function expectNoSlotOf(writer: keyof typeof FOREIGN, seat: Seat): void {
  if (!seat.commitment || (seat.commitment.kind === 'miner') !== (writer === 'miner')) return
  const [what, act] = FOREIGN[writer]
  const advice = `${act} with another hotkey, or with --overwrite`
  throw new Error(`the slot contains ${what} (${formatValue(formatSlot(seat.slot))}): ${advice}`)
}

export function checkValidator(seat: Seat): readonly Finding[] {
  const { permit, stake } = seat.neuron
  return [
    note(permit ? 'PERMIT' : 'NO_PERMIT', {}),
    note(stake > 0n ? 'STAKE' : 'NO_STAKE', { tao: formatTao(stake) }),
    checkCommitment(seat),
  ]
}

/** Checks the slot of a hotkey that is to validate, or of a miner without a commitment. */
export function checkCommitment({ neuron, slot, commitment }: Seat): Finding {
  if (commitment?.kind === 'miner') return note('SLOT_HELD', slot)
  if (commitment !== null) return note('SLOT', slot)
  // A validator with a permit overwrites an unreadable slot.
  const isFree = slot.block === undefined || neuron.permit
  return note(isFree ? 'SLOT_FREE' : 'SLOT_UNREADABLE', slot)
}

export function checkLastWeights({ neuron }: Seat, block: number, epochBlocks: number): Finding {
  const blocks = block - neuron.lastUpdate
  return note(blocks <= 2 * epochBlocks ? 'WEIGHTS_SET' : 'WEIGHTS_OLD', { blocks })
}
