import type { Fault } from './faults.ts'

/** Do these faults still break the promise that the whole list broke? */
type Fails = (faults: readonly Fault[]) => Promise<boolean>

/**
 * A shorter list of faults, from which none can be left out. Halves are dropped first, and single
 * faults last, as long as the run still fails.
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

/** The list without one of its parts of that size, if it still fails. */
async function dropOne(
  faults: readonly Fault[],
  size: number,
  fails: Fails,
): Promise<readonly Fault[] | undefined> {
  for (let start = 0; start < faults.length; start += size) {
    const rest = [...faults.slice(0, start), ...faults.slice(start + size)]
    if (await fails(rest)) return rest
  }
  return undefined
}
