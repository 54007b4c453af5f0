import type { ApiPromise } from '@polkadot/api'
import { ChainError } from '../chain-error.ts'
import { type Item, requireItem } from './runtime-faults.ts'

export interface Codec {
  readonly isEmpty: boolean
  toJSON(): unknown
  toString(): string
}

/** A runtime's storage, APIs and constants at the end of one block, and its calls. */
export type Runtime = Pick<Awaited<ReturnType<ApiPromise['at']>>, 'query' | 'call' | 'consts'> &
  Pick<ApiPromise, 'tx'>

/**
 * Returns an unsigned integer of up to 128 bits.
 * @throws ChainError `BadReply` for any other value. `what` names the value in the error.
 */
export function parseInteger(value: Codec, what: string): bigint {
  const text = value.toString()
  if (!/^\d{1,39}$/.test(text))
    throw new ChainError('BadReply', `${what} on the chain is not an unsigned integer`)
  return BigInt(text)
}

/**
 * Reads an unsigned integer of up to 128 bits.
 * @throws ChainError, as a rejection: `NotInRuntime`; `BadReply` for any other value.
 */
export async function readInteger(
  runtime: Runtime,
  item: Item,
  ...keys: unknown[]
): Promise<bigint> {
  return parseInteger(await requireItem(runtime.query, item)(...keys), item)
}

/**
 * Reads all values of a double map under the first key `key`, with their second keys, in one call
 * for each 1000 values.
 * @throws ChainError, as a rejection: `NotInRuntime`; `BadReply` unless the item has two keys.
 */
export async function readEntries(
  runtime: Runtime,
  item: Item,
  key: number,
): Promise<[key: Codec, value: Codec][]> {
  const entries = await requireItem(runtime.query, item).entries(key)
  return entries.map(([{ args }, value]) => {
    const [, second] = args
    if (second === undefined || args.length > 2)
      throw new ChainError('BadReply', `${item} on the chain does not have two keys`)
    return [second, value]
  })
}
