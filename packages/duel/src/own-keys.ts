/** Returns a record of these keys and their values. Even the key `__proto__` is an own property. */
export function tabulate<Value>(
  keys: readonly string[],
  createValue: (key: string) => Value,
): Record<string, Value> {
  return Object.fromEntries(keys.map((key) => [key, createValue(key)]))
}

/** Returns a record of the same keys and changed values. */
export const mapValues = <Value, Changed>(
  record: Readonly<Record<string, Value>>,
  change: (value: Value, key: string) => Changed,
): Record<string, Changed> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]))

/** Returns the entries with these keys. */
export function pickKeys<Value>(
  record: Readonly<Record<string, Value>>,
  keys: Iterable<string>,
): Record<string, Value> {
  const wanted = new Set(keys)
  return Object.fromEntries(Object.entries(record).filter(([key]) => wanted.has(key)))
}
