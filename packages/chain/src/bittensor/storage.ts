import type { ApiPromise } from '@polkadot/api'
import { ChainError } from '../chain-error.ts'
import type { APIS, CALLS, STORAGE } from './runtime-faults.ts'

/** The pallet of subnets. */
export const SUBNET_PALLET = 'subtensorModule' as const

/** A value of the chain, decoded. */
export interface Codec {
  readonly isEmpty: boolean
  toJSON(): unknown
  toString(): string
}

/** The names that this client uses in a pallet, or in a runtime API. */
export type NameIn<
  Sections extends Readonly<Record<string, readonly string[]>>,
  S extends keyof Sections,
> = Sections[S][number]

type Items = typeof STORAGE

/**
 * The chain's storage and runtime at one block. `query`, `integer` and `entries` reject with
 * ChainError `NotInRuntime` for an item that the runtime lacks.
 */
export interface Storage {
  /** Does the runtime have this storage item? */
  has<P extends keyof Items>(pallet: P, item: NameIn<Items, P>): boolean
  hasCall<P extends keyof typeof CALLS>(pallet: P, name: NameIn<typeof CALLS, P>): boolean
  query<P extends keyof Items>(
    pallet: P,
    item: NameIn<Items, P>,
    ...keys: unknown[]
  ): Promise<Codec>
  /** An unsigned integer. Rejects with ChainError `BadReply` if the item is something else. */
  integer<P extends keyof Items>(
    pallet: P,
    item: NameIn<Items, P>,
    ...keys: unknown[]
  ): Promise<bigint>
  /**
   * All values under the first key of a double map, with their second keys. Takes one call for 1000
   * values. Rejects with ChainError `BadReply` if the item has not two keys.
   */
  entries<P extends keyof Items>(
    pallet: P,
    item: NameIn<Items, P>,
    key: number,
  ): Promise<[key: Codec, value: Codec][]>
  /** A runtime API's answer; null if the runtime does not have this method. */
  call<A extends keyof typeof APIS>(
    api: A,
    method: NameIn<typeof APIS, A>,
    ...args: unknown[]
  ): Promise<Codec | null>
  constant(pallet: 'aura', name: 'slotDuration'): Codec | undefined
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
  const item = (pallet: string, name: string) => {
    const found = at.query[pallet]?.[name]
    if (!found)
      throw new ChainError('NotInRuntime', `this chain's runtime has no storage ${pallet}.${name}`)
    return found
  }
  return {
    has: (pallet, name) => at.query[pallet]?.[name] !== undefined,
    hasCall: (pallet, name) => api.tx[pallet]?.[name] !== undefined,
    query: async (pallet, name, ...keys) => item(pallet, name)(...keys),
    integer: async (pallet, name, ...keys) =>
      integerIn(await item(pallet, name)(...keys), `${pallet}.${name}`),
    entries: async (pallet, name, key) => {
      const entries = await item(pallet, name).entries(key)
      return entries.map(([{ args }, value]) => {
        const [, second] = args
        if (second === undefined || args.length > 2)
          throw new ChainError('BadReply', `${pallet}.${name} on the chain has not two keys`)
        return [second, value]
      })
    },
    call: async (name, method, ...args) => (await at.call[name]?.[method]?.(...args)) ?? null,
    constant: (pallet, name) => at.consts[pallet]?.[name],
  }
}
