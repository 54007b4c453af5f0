/**
 * Returns a function that returns the value of an epoch, created by `create` on first use. It
 * stores the values of the last requested epoch and of the epoch before it.
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
