import { replaceItems } from './cases.ts'

/** Maximum number of parts of a case to try. */
const TRIES = 2000

/**
 * Resolves with a smallest part of a case that still differs. A part for which `differs` rejects
 * counts as equal.
 */
export async function reduce(
  given: object,
  differs: (part: object) => Promise<boolean>,
): Promise<object> {
  let least = given
  let parts = partsOf(least)
  for (let tries = 0; tries < TRIES; tries++) {
    const { value, done } = parts.next()
    if (done) break
    if (await differs(value as object).catch(() => false)) {
      least = value as object
      parts = partsOf(least)
    }
  }
  return least
}

/** Yields a value without some elements of one of its lists, or characters of one of its texts. */
function* partsOf(value: unknown): Generator<unknown, undefined> {
  if (typeof value === 'string' || Array.isArray(value))
    for (let size = value.length; size > 0; size >>= 1)
      for (let at = 0; at < value.length; at += size)
        yield typeof value === 'string'
          ? value.slice(0, at) + value.slice(at + size)
          : replaceItems(value, at, size)
  if (typeof value === 'object' && value !== null)
    for (const [key, each] of Object.entries(value))
      for (const part of partsOf(each))
        yield Object.assign(Array.isArray(value) ? [...value] : { ...value }, { [key]: part })
}
