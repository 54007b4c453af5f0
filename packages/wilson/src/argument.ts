/** The caller's mistakes: every refusal reads `"wins" expected 0..10, got 11`. */

const refuse = (name: string, expected: string, value: unknown): RangeError =>
  new RangeError(`"${name}" expected ${expected}, got ${value}`)

/**
 * `value` as a bigint. @throws RangeError unless it is an integer within low..high (a number: a
 * safe one).
 */
export function integer(name: string, value: number | bigint, low: bigint, high?: bigint): bigint {
  const exact = typeof value === 'bigint' || Number.isSafeInteger(value) ? BigInt(value) : null
  if (exact !== null && exact >= low && (high === undefined || exact <= high)) return exact
  throw refuse(
    name,
    high === undefined ? `an integer of at least ${low}` : `${low}..${high}`,
    value,
  )
}

/** @throws RangeError unless low <= value <= high. */
export function within(name: string, value: number, low: number, high: number): void {
  if (!Number.isFinite(value) || value < low || value > high)
    throw refuse(name, `${low}..${high}`, value)
}

/** @throws RangeError unless 0 < value < 1. */
export function openUnit(name: string, value: number): void {
  if (!Number.isFinite(value) || value <= 0 || value >= 1)
    throw refuse(name, 'between 0 and 1, both excluded', value)
}
