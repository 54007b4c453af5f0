import type { ApiPromise } from '@polkadot/api'
import { ChainError } from '../chain-error.ts'
import { type CALLS, lookUp, type METHODS, type STORAGE } from './runtime-faults.ts'

/** A decoded value of the chain. */
export interface Codec {
  readonly isEmpty: boolean
  toJSON(): unknown
  toString(): string
}

type Item = (typeof STORAGE)[number]
export type CallName = (typeof CALLS)[number]

/**
 * The chain's storage and runtime at one block. `integer` and `entries` reject with ChainError
 * `NotInRuntime` for an item that the runtime lacks.
 */
export interface Storage {
  /** Reports whether the runtime has this storage item. */
  has(item: Item): boolean
  hasCall(name: CallName): boolean
  /** Reads an unsigned integer. Rejects with ChainError `BadReply` if the item is not one. */
  integer(item: Item, ...keys: unknown[]): Promise<bigint>
  /**
   * Reads all values under the first key of a double map, with their second keys, in one call for
   * each 1000 values. Rejects with ChainError `BadReply` unless the item has two keys.
   */
  entries(item: Item, key: number): Promise<[key: Codec, value: Codec][]>
  /** Resolves with a runtime API's answer, or null if the runtime does not have the method. */
  call(method: (typeof METHODS)[number], ...args: unknown[]): Promise<Codec | null>
  constant(name: 'aura.slotDuration'): Codec | undefined
}

/**
 * Returns an unsigned integer of up to 128 bits.
 * @throws ChainError `BadReply` if the value is not one. `what` names the value in the error.
 */
export function parseInteger(value: Codec, what: string): bigint {
  const text = value.toString()
  if (!/^\d{1,39}$/.test(text))
    throw new ChainError('BadReply', `${what} on the chain is not an unsigned integer`)
  return BigInt(text)
}

/** Resolves with the storage at the end of the block with this hash. */
export async function openStorage(api: ApiPromise, hash: string): Promise<Storage> {
  const at = await api.at(`0x${hash}`)
  const requireItem = (name: Item) => {
    const query = lookUp(at.query, name)
    if (!query) throw new ChainError('NotInRuntime', `this chain's runtime has no storage ${name}`)
    return query
  }
  return {
    has: (item) => lookUp(at.query, item) !== undefined,
    hasCall: (name) => lookUp(api.tx, name) !== undefined,
    integer: async (item, ...keys) => parseInteger(await requireItem(item)(...keys), item),
    entries: async (item, key) => {
      const entries = await requireItem(item).entries(key)
      return entries.map(([{ args }, value]) => {
        const [, second] = args
        if (second === undefined || args.length > 2)
          throw new ChainError('BadReply', `${item} on the chain does not have two keys`)
        return [second, value]
      })
    },
    call: async (method, ...args) => (await lookUp(at.call, method)?.(...args)) ?? null,
    constant: (name) => lookUp(at.consts, name),
  }
}
