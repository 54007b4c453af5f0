/** Compares two values for an ascending sort. Texts are compared by code units, in no locale. */
export function compare<Value extends bigint | number | string>(a: Value, b: Value): number {
  if (a > b) return 1
  if (a < b) return -1
  return 0
}
