import { blake2b } from '@noble/hashes/blake2.js'
import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { type Account, verify } from './account.ts'
import type { Weights } from './chain.ts'
import { amount, either, type Guard, hotkey, integer, list, literal, pair, record, text, u16 } from './shape.ts'

/** What a hotkey asks of the local chain. Fields are hex. */
export type Call =
  | { readonly call: 'commit'; readonly fields: readonly string[] }
  | { readonly call: 'setWeights'; readonly weights: Weights }

/** A call signed for one chain. Nonces rise, with gaps as the signer likes; no block after `until` may hold it. */
export interface Extrinsic {
  readonly hotkey: string
  readonly nonce: number
  readonly until: number
  readonly call: Call
  readonly signature: string
}

/** What only the chain's owner may do, unsigned. `stake` is in rao, decimal, and "0" for `deregister`. */
export interface Sudo {
  readonly sudo: 'register' | 'deregister' | 'setStake'
  readonly hotkey: string
  readonly stake: string
}

export type Entry = Extrinsic | Sudo

export interface Network {
  readonly genesis: string
  readonly netuid: number
}

// What is refused by name in a block (four fields, 129 bytes, more weights than neurons) must fit in here.
const MAX_ITEMS = 4096
const isCall: Guard<Call> = either(
  record({ call: literal('commit'), fields: list(text(/^([0-9a-f]{2}){0,1024}$/), 16) }),
  record({ call: literal('setWeights'), weights: list(pair(u16, u16), MAX_ITEMS) }),
)

export const isExtrinsic: Guard<Extrinsic> = record<Extrinsic>({
  hotkey,
  nonce: integer(0),
  until: integer(0),
  call: isCall,
  signature: text(/^[0-9a-f]{128}$/),
})

export const isSudo: Guard<Sudo> = record<Sudo>({
  sudo: either(either(literal('register'), literal('deregister')), literal('setStake')),
  hotkey,
  stake: amount,
})

/** blake2b-256 of the JSON text, in hex. For values whose text is unambiguous: arrays and records of fixed shape. */
export const hashOf = (value: unknown): string => bytesToHex(blake2b(utf8ToBytes(JSON.stringify(value)), { dkLen: 32 }))

// Never 32 bytes long, so it can't pass for the hash of an evidence block, which the same key signs.
const payload = ({ genesis, netuid }: Network, { hotkey, nonce, until, call }: Omit<Extrinsic, 'signature'>) =>
  utf8ToBytes(JSON.stringify(['affine-chain/1', genesis, netuid, hotkey, nonce, until, call]))

export function signExtrinsic(
  account: Account,
  network: Network,
  draft: Pick<Extrinsic, 'nonce' | 'until' | 'call'>,
): Extrinsic {
  const { nonce, until, call } = draft
  const unsigned = { hotkey: account.hotkey, nonce, until, call }
  return { ...unsigned, signature: bytesToHex(account.sign(payload(network, unsigned))) }
}

/** Is it signed by its hotkey for this chain? Never throws. */
export const isSigned = (network: Network, extrinsic: Extrinsic): boolean =>
  verify(payload(network, extrinsic), hexToBytes(extrinsic.signature), extrinsic.hotkey)

export const commitCall = (fields: readonly Uint8Array[]): Call => ({
  call: 'commit',
  fields: fields.map((field) => bytesToHex(field)),
})

export const weightsCall = (weights: Weights): Call => ({
  call: 'setWeights',
  weights: weights.map(([uid, weight]) => [uid, weight]),
})

/** @throws RangeError unless `hotkey` is an address and `stake` fits. */
export function sudoCall(sudo: Sudo['sudo'], hotkey: string, stake: bigint): Sudo {
  const call = { sudo, hotkey, stake: `${stake}` }
  if (!isSudo(call)) throw new RangeError(`expected an address and a stake in rao, got ${hotkey} and ${stake}`)
  return call
}

/** The order of a block: the owner's calls as they came, then by hotkey and nonce, so that no order of arrival matters. */
export function inOrder(a: Entry, b: Entry): number {
  if ('sudo' in a || 'sudo' in b) return Number('sudo' in b) - Number('sudo' in a)
  return compare(a.hotkey, b.hotkey) || a.nonce - b.nonce || compare(a.signature, b.signature)
}

const compare = (a: string, b: string) => (a === b ? 0 : a < b ? -1 : 1)
