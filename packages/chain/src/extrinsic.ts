import { blake2b } from '@noble/hashes/blake2.js'
import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { type Account, verify } from './account.ts'
import type { Chain, Weights } from './chain.ts'
import { either, type Guard, hotkey, integer, list, pair, record, text, u16 } from './shape.ts'

/** What a hotkey asks of the local chain: a commitment, its fields in hex, or weights. */
export type Call = { readonly fields: readonly string[] } | { readonly weights: Weights }

/** A call signed for one chain. Nonces rise, with gaps as the signer likes; it has no effect in a block after `until`. */
export interface Extrinsic {
  readonly hotkey: string
  readonly nonce: number
  readonly until: number
  readonly call: Call
  readonly signature: string
}

/** What only the chain's owner may do, unsigned. `stake` is in rao, decimal. */
export interface Sudo {
  readonly sudo: 'register' | 'deregister' | 'setStake'
  readonly hotkey: string
  readonly stake: string
}

export type Entry = Extrinsic | Sudo

// Wider than the chain's limits, which refuse by name: four fields, 129 bytes, more weights than neurons.
const isCall: Guard<Call> = either(
  record({ fields: list(text(/^([0-9a-f]{2}){0,1024}$/), 16) }),
  record({ weights: list(pair(u16, u16), 4096) }),
)

export const isExtrinsic: Guard<Extrinsic> = record<Extrinsic>({
  hotkey,
  nonce: integer(0),
  until: integer(0),
  call: isCall,
  signature: text(/^[0-9a-f]{128}$/),
})

export const isSudo: Guard<Sudo> = record<Sudo>({
  sudo: text(/^(register|deregister|setStake)$/),
  hotkey,
  stake: text(/^(0|[1-9][0-9]{0,19})$/),
})

/** blake2b-256, in hex, of a value's JSON text. For values of one fixed shape. */
export const hashOf = (value: unknown): string => bytesToHex(blake2b(utf8ToBytes(JSON.stringify(value)), { dkLen: 32 }))

type Network = Pick<Chain, 'genesis' | 'netuid'>

// Longer than 32 bytes, so it can't pass for the hash of an evidence block, which the same key signs.
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

/** Did its hotkey sign it for this chain? Never throws. */
export const isSigned = (network: Network, extrinsic: Extrinsic): boolean =>
  verify(payload(network, extrinsic), hexToBytes(extrinsic.signature), extrinsic.hotkey)

/** @throws RangeError unless `hotkey` is an address and `stake` fits. */
export function sudo(name: Sudo['sudo'], hotkey: string, stake: bigint): Sudo {
  const call = { sudo: name, hotkey, stake: `${stake}` }
  if (!isSudo(call)) throw new RangeError(`expected an address and a stake in rao, got ${hotkey} and ${stake}`)
  return call
}

/** The order of a block: the owner's calls as they came, then by hotkey and nonce, whatever the order of arrival. */
export function inOrder(a: Entry, b: Entry): number {
  if ('sudo' in a || 'sudo' in b) return Number('sudo' in b) - Number('sudo' in a)
  return compare(a.hotkey, b.hotkey) || a.nonce - b.nonce || compare(a.signature, b.signature)
}

const compare = (a: string, b: string) => (a === b ? 0 : a < b ? -1 : 1)
