import type { Recomputed } from '@affine/settlement'

/** So many are named. */
const MOST_TOLD = 8

/** The lanes of an epoch that are void: none of their samples is shown. */
export function voidsIn({ epoch, lanes }: Recomputed): readonly string[] {
  return [...lanes].flatMap(([validator, lane]) =>
    lane.ok ? [] : [`that of ${validator} in epoch ${epoch} (${lane.code})`],
  )
}

/** Why a sample may not have been found, where lanes are void. */
export function whyOf(voids: readonly string[]): string {
  if (voids.length === 0) return ''
  const told = voids.slice(0, MOST_TOLD)
  if (voids.length > told.length) told.push(`and ${voids.length - told.length} more`)
  return ` in a lane that is whole; samples of void lanes are not shown: ${told.join(', ')}`
}
