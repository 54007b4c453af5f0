/**
 * Returns a function that gives the value of an epoch, made by `create` when it is first asked for.
 * Keeps those of the epoch that was asked for last, and of the one before.
 */
export function cachePerEpoch<Value>(create: () => Value): (epoch: number) => Value {
  const values = new Map<number, Value>()
  return (epoch) => {
    const value = values.get(epoch) ?? create()
    values.set(epoch, value)
    for (const each of values.keys()) if (each < epoch - 1) values.delete(each)
    return value
  }
}
