import type { Recomputed } from '@affine/settlement'

/** At most this many lanes are named. */
const MOST_TOLD = 8

/** The invalid lanes of an epoch. Their samples are never shown. */
export function voidsIn({ epoch, lanes }: Recomputed): readonly string[] {
  return [...lanes].flatMap(([validator, lane]) =>
    lane.ok ? [] : [`${validator} in epoch ${epoch} (${lane.code})`],
  )
}

/** Why a sample may not have been found, if some lanes are invalid. */
export function whyOf(voids: readonly string[]): string {
  if (voids.length === 0) return ''
  const told = voids.slice(0, MOST_TOLD)
  if (voids.length > told.length) told.push(`and ${voids.length - told.length} more`)
  return ` in a valid lane. Samples of invalid lanes are not shown: ${told.join(', ')}`
}
