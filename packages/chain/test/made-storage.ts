import { type Codec, parseInteger, type Storage } from '../src/bittensor/storage.ts'

/** Returns a value of the chain that has this JSON. */
export const codec = (json: unknown): Codec => ({
  isEmpty: json === null,
  toJSON: () => json,
  toString: () => (typeof json === 'object' ? JSON.stringify(json) : String(json)),
})

/**
 * Returns the storage of a runtime that has only these storage items, answers of runtime APIs and
 * constants, by `pallet.item`, with keys `pallet.item(1,2)`, and these calls.
 */
export function storageOf(
  values: Readonly<Record<string, unknown>>,
  calls: readonly string[] = [],
): Storage {
  const find = (path: string, keys: readonly unknown[]) => {
    const exact = values[`${path}(${keys})`]
    if (exact === undefined && !(path in values)) throw new Error(`no storage ${path}(${keys})`)
    return codec(exact === undefined ? values[path] : exact)
  }
  return {
    has: (item) => Object.keys(values).some((path) => path.split('(')[0] === item),
    hasCall: (name) => calls.includes(name),
    integer: async (item, ...keys) => parseInteger(find(item, keys), item),
    entries: async (item, key) =>
      Object.entries((values[`${item}(${key})`] ?? {}) as Record<string, unknown>).map(
        ([at, value]) => [codec(at), codec(value)],
      ),
    call: async (method) => (method in values ? codec(values[method]) : null),
    constant: (name) => (name in values ? codec(values[name]) : undefined),
  }
}
