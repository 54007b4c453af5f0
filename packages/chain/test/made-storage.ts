import type { Codec, Runtime } from '../src/bittensor/storage.ts'

/** Returns a value of the chain that has this JSON. */
export const codec = (json: unknown): Codec => ({
  isEmpty: json === null,
  toJSON: () => json,
  toString: () => (typeof json === 'object' ? JSON.stringify(json) : String(json)),
})

/**
 * Returns a runtime that has only these calls, storage items, runtime APIs and constants. `values`
 * are by `pallet.item`, or by `pallet.item(1,2)` for the keys 1 and 2. An API whose value is null
 * returns nothing.
 */
export function runtimeOf(
  values: Readonly<Record<string, unknown>>,
  calls: readonly string[] = [],
): Runtime {
  const place = (names: readonly string[], make: (name: string) => unknown) => {
    const sections: Record<string, Record<string, unknown>> = {}
    for (const name of names) {
      const [section = '', item = ''] = name.split('.')
      sections[section] = { ...sections[section], [item]: make(name) }
    }
    return sections
  }
  const names = Object.keys(values).map((path) => path.split('(')[0]!)
  const read =
    (name: string) =>
    async (...keys: readonly unknown[]) =>
      codec(values[`${name}(${keys})`] ?? values[name])
  const made = {
    query: place(names, read),
    call: place(names, read),
    consts: place(names, (name) => codec(values[name])),
    tx: place(calls, (name) => name),
  }
  return made as never
}
