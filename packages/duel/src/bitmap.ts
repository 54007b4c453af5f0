import type { Duel } from './state.ts'

const BYTES = 16

type Voters = Pick<Duel, 'weights'>

/** The hotkeys that bits stand for, from bit 0 on: those of the duel's weights, ascending. */
function bitOrder({ weights }: Voters): readonly string[] {
  return Object.keys(weights).sort()
}

/**
 * The bitmap of an attestation: 16 bytes, in each the lowest bit first, set for the lanes of
 * `whole`. Protocol §5.2.
 */
export function encodeBitmap(voters: Voters, whole: ReadonlySet<string>): Uint8Array {
  const bitmap = new Uint8Array(BYTES)
  for (const [bit, hotkey] of bitOrder(voters).entries()) {
    if (whole.has(hotkey)) bitmap[bit >> 3] = (bitmap[bit >> 3] ?? 0) | (1 << (bit & 7))
  }
  return bitmap
}

/** Reads bitmaps: has one the bit of `hotkey`'s lane? Protocol §5.2. */
export function bitReader(voters: Voters, hotkey: string): (bitmap: Uint8Array) => boolean {
  const bit = bitOrder(voters).indexOf(hotkey)
  return (bitmap) => bit !== -1 && (((bitmap[bit >> 3] ?? 0) >> (bit & 7)) & 1) === 1
}
