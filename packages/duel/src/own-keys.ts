/** A record with these keys, `__proto__` among them if it must be. */
export function tabulate<Value>(
  keys: readonly string[],
  of: (key: string) => Value,
): Record<string, Value> {
  return Object.fromEntries(keys.map((key) => [key, of(key)]))
}

/** What a record holds under these keys. */
export function pickKeys<Value>(
  record: Readonly<Record<string, Value>>,
  keys: Iterable<string>,
): Record<string, Value> {
  const wanted = new Set(keys)
  return Object.fromEntries(Object.entries(record).filter(([key]) => wanted.has(key)))
}
