import type { ApiPromise } from '@polkadot/api'
import { ChainError } from '../chain-error.ts'
import type { CALLS, METHODS, STORAGE } from './runtime-faults.ts'

/** A value of the chain, decoded. */
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
  /** Does the runtime have this storage item? */
  has(item: Item): boolean
  hasCall(name: CallName): boolean
  /** An unsigned integer. Rejects with ChainError `BadReply` if the item is something else. */
  integer(item: Item, ...keys: unknown[]): Promise<bigint>
  /**
   * All values under the first key of a double map, with their second keys. Takes one call for 1000
   * values. Rejects with ChainError `BadReply` if the item has not two keys.
   */
  entries(item: Item, key: number): Promise<[key: Codec, value: Codec][]>
  /** A runtime API's answer; null if the runtime does not have this method. */
  call(method: (typeof METHODS)[number], ...args: unknown[]): Promise<Codec | null>
  constant(name: 'aura.slotDuration'): Codec | undefined
}

/**
 * An unsigned integer of the chain, of up to 128 bits.
 * @throws ChainError `BadReply` if the value is something else.
 */
export function integerIn(value: Codec, what: string): bigint {
  const text = value.toString()
  if (!/^\d{1,39}$/.test(text))
    throw new ChainError('BadReply', `${what} on the chain is not an unsigned integer`)
  return BigInt(text)
}

/** The storage at the end of the block with this hash. */
export async function storageAt(api: ApiPromise, hash: string): Promise<Storage> {
  const at = await api.at(`0x${hash}`)
  const itemOf = (name: Item) => {
    const found = named(at.query, name)
    if (!found) throw new ChainError('NotInRuntime', `this chain's runtime has no storage ${name}`)
    return found
  }
  return {
    has: (item) => named(at.query, item) !== undefined,
    hasCall: (name) => named(api.tx, name) !== undefined,
    integer: async (item, ...keys) => integerIn(await itemOf(item)(...keys), item),
    entries: async (item, key) => {
      const entries = await itemOf(item).entries(key)
      return entries.map(([{ args }, value]) => {
        const [, second] = args
        if (second === undefined || args.length > 2)
          throw new ChainError('BadReply', `${item} on the chain has not two keys`)
        return [second, value]
      })
    },
    call: async (method, ...args) => (await named(at.call, method)?.(...args)) ?? null,
    constant: (name) => named(at.consts, name),
  }
}

/** What a runtime has under a name such as `system.number`: its section, then its own. */
export function named<Value>(
  sections: Readonly<Record<string, Readonly<Record<string, Value>>>>,
  name: string,
): Value | undefined {
  const [section = '', own = ''] = name.split('.')
  return sections[section]?.[own]
}
