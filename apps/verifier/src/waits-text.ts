import type { Waits } from '@affine/settlement'

/** Waits that are shorter are not worth a word: a busy reader is late itself. */
const LEAST_MS = 10_000
const MOST_NAMED = 8

/** For whose buckets a run waited, the longest waits first; undefined if for nobody's. */
export function waitsText(waits: Waits): string | undefined {
  const slow = [...waits].filter(([, ms]) => ms >= LEAST_MS).sort(([, a], [, b]) => b - a)
  if (slow.length === 0) return undefined
  const named = slow.slice(0, MOST_NAMED)
  const texts = named.map(([hotkey, ms]) => `${Math.round(ms / 1000)} s for that of ${hotkey}`)
  if (slow.length > named.length) texts.push(`less for ${slow.length - named.length} more`)
  return `Waited for slow buckets: ${texts.join(', ')}. Up to 90 s each is no failure`
}
