/** Ascending; text by its code units, in no language. */
export function compare<Value extends bigint | number | string>(a: Value, b: Value): number {
  if (a > b) return 1
  if (a < b) return -1
  return 0
}
