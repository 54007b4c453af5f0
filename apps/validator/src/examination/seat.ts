import {
  type Chain,
  ChainError,
  type Commitment,
  type CommitmentSlot,
  decimalOf,
  decodeCommitment,
  type Neuron,
  readSlot,
  type Snapshot,
} from '@affine/chain'
import { shown } from '@affine/terminal'
import { type Finding, fail, ok, warn } from './findings.ts'

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

/** What a seat's slot holds, as a text. It is untrusted: print it with `printable`. */
function slotText({ slot, said }: Seat): string {
  if (slot === undefined) return 'none yet'
  const kind = said?.kind ?? 'unreadable'
  return `block ${slot.block}, ${kind}: ${JSON.stringify(readSlot(slot).says)}`
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
  throw new Error(`the slot has ${what} (${shown(slotText(seat))}): ${advice}`)
}

const stakeText = (rao: bigint): string => `${decimalOf(rao)} TAO`

/** How a miner that has committed stands on chain: it needs neither permit nor stake. */
export function checkMiner(seat: Seat): readonly Finding[] {
  const { permit, stake } = seat.neuron
  return [
    ok('permit', permit ? 'held' : 'none'),
    ok('stake', stakeText(stake)),
    ok('commitment', slotText(seat)),
  ]
}

/** What a hotkey that has committed nothing needs on chain, to become a validator or a miner. */
export function checkValidator(seat: Seat): readonly Finding[] {
  const { permit, stake } = seat.neuron
  const held = stakeText(stake)
  const advice = 'add stake to validate, or `af commit` to mine'
  return [
    permit ? ok('permit', 'held') : fail('permit', 'none', advice),
    stake > 0n ? ok('stake', held) : warn('stake', held, 'a validator without has no vote'),
    checkCommitment(seat),
  ]
}

function checkCommitment(seat: Seat): Finding {
  const { neuron, slot, said } = seat
  const found = slotText(seat)
  if (said?.kind === 'miner')
    return fail('commitment', found, '`af validate` writes over it with --overwrite alone')
  if (said !== null) return ok('commitment', found)
  const advice = '`af validate` or `af commit` makes it'
  // A running validator overwrites a slot that cannot be read.
  if (slot === undefined || neuron.permit) return warn('commitment', found, advice)
  return fail('commitment', found, advice)
}

/** When a validator set weights last, given the newest block and the length of an epoch. */
export function checkLastWeights({ neuron }: Seat, block: number, epochBlocks: number): Finding {
  const ago = block - neuron.lastUpdate
  const found = `or registration: ${ago} blocks ago`
  if (ago <= 2 * epochBlocks) return ok('last weights', found)
  return warn('last weights', found, 'is `af validate` running?')
}
