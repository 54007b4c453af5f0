/** The least k with k² >= value, for value >= 0: Newton's square root, from above, then up. */
export function ceilRoot(value: bigint): bigint {
  let root = value
  let next = (value + 1n) >> 1n
  while (next < root) {
    root = next
    next = (root + value / root) >> 1n
  }
  if (root * root === value) return root
  return root + 1n
}
