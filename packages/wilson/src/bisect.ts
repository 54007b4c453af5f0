/**
 * The least integer in (no, yes] that `holds`, by bisection: `holds` must be false up to some
 * integer and true from there, and `yes` is taken to hold without a look. Up to 2^30.
 */
export function leastAbove(no: number, yes: number, holds: (value: number) => boolean): number {
  let below = no
  let least = yes
  while (least - below > 1) {
    const middle = (below + least) >> 1
    if (holds(middle)) least = middle
    else below = middle
  }
  return least
}
