import type { ApiPromise } from '@polkadot/api'
import { ChainError } from '../chain-error.ts'
import type { APIS, CALLS, CONSTANTS, STORAGE } from './asked-of-runtime.ts'

/** The pallet of subnets. */
export const SUBNET_PALLET = 'subtensorModule' as const

/** A value of the chain, decoded. */
export interface Codec {
  readonly isEmpty: boolean
  toJSON(): unknown
  toString(): string
}

/** The names that this client uses in a pallet, or in a runtime API. */
export type NameIn<Sections, S extends keyof Sections> = keyof Sections[S] & string

type Items = typeof STORAGE

/**
 * The chain's storage and runtime at one block. `query` and `entries` reject with ChainError
 * `NotInRuntime` for an item that the runtime lacks.
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
  /**
   * All values under the first key of a double map, with their second keys. Takes one call for 1000
   * values.
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
  constant<P extends keyof typeof CONSTANTS>(
    pallet: P,
    name: NameIn<typeof CONSTANTS, P>,
  ): Codec | undefined
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
    entries: async (pallet, name, key) => {
      const entries = await item(pallet, name).entries(key)
      return entries.flatMap(([{ args }, value]) => (args[1] ? [[args[1], value]] : []))
    },
    call: async (name, method, ...args) => (await at.call[name]?.[method]?.(...args)) ?? null,
    constant: (pallet, name) => at.consts[pallet]?.[name],
  }
}
