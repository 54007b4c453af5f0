import { randomInt } from 'node:crypto'
import type { Choose } from '@affine/settlement'

/** Draws holders at random each time, so that nobody knows which copies will be compared. */
export function drawing(most: number): Choose | null {
  if (most === 0) return null
  return (holders) => {
    const left = [...holders]
    const draw = () => left.splice(randomInt(left.length), 1)
    return Array.from({ length: Math.min(most, left.length) }, draw).flat()
  }
}
