/** Returns the error for an invalid argument: `"wins" expected 0..10, got 11`. */

const createRangeError = (name: string, expected: string, value: unknown): RangeError =>
  new RangeError(`"${name}" expected ${expected}, got ${value}`)

/**
 * Returns `value` as a bigint. @throws RangeError unless it is an integer within low..high and, as
 * a number, a safe integer.
 */
export function readInteger(
  name: string,
  value: number | bigint,
  { low, high }: { low: bigint; high?: bigint },
): bigint {
  if (typeof value === 'bigint' || Number.isSafeInteger(value)) {
    const exact = BigInt(value)
    if (exact >= low && (high === undefined || exact <= high)) return exact
  }
  const expected = high === undefined ? `an integer of at least ${low}` : `${low}..${high}`
  throw createRangeError(name, expected, value)
}

/** Rejects a value that is not a probability. @throws RangeError unless 0 <= value <= 1. */
export function expectProbability(name: string, value: number): void {
  if (!(Number.isFinite(value) && value >= 0 && value <= 1))
    throw createRangeError(name, '0..1', value)
}
