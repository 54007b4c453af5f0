/** What a record holds under a key of its own, never what its prototype holds: keys may be a stranger's. */
export function own<Value>(record: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined
}

/** A record with these keys, `__proto__` among them if it must be. */
export function tabulate<Value>(keys: Iterable<string>, of: (key: string) => Value): Record<string, Value> {
  return Object.fromEntries(Array.from(keys, (key) => [key, of(key)]))
}
