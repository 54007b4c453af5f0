import type { Fault } from './faults.ts'

/** A function that resolves with whether these faults still fail in the same way. */
type Fails = (faults: readonly Fault[]) => Promise<boolean>

/**
 * Resolves with a shorter list of faults that still fails, of which each is necessary. Drops halves
 * first, and single faults last.
 */
export async function shrink(faults: readonly Fault[], fails: Fails): Promise<readonly Fault[]> {
  let left = faults
  for (let size = Math.ceil(left.length / 2); size >= 1; ) {
    const smaller = await dropOne(left, size, fails)
    if (smaller === undefined && size === 1) break
    left = smaller ?? left
    size = Math.min(smaller ? size : Math.ceil(size / 2), Math.max(1, left.length))
    if (left.length === 0) break
  }
  return left
}

/** Resolves with the list without a part of `size` faults that still fails, or undefined. */
async function dropOne(
  faults: readonly Fault[],
  size: number,
  fails: Fails,
): Promise<readonly Fault[] | undefined> {
  for (let start = 0; start < faults.length; start += size) {
    const remaining = [...faults.slice(0, start), ...faults.slice(start + size)]
    if (await fails(remaining)) return remaining
  }
  return undefined
}
