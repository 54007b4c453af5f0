import { digest } from '@affine/prng'

/** A digest as its 32 bytes. */
export function digestBytes(...parts: Parameters<typeof digest>): Buffer {
  return Buffer.from(digest(...parts), 'hex')
}

/**
 * Bytes that follow from the seed and a name, so that a run with the same seed has the same secrets
 * and block hashes. At most 32 at once.
 */
export function seededBytes(seed: string, name: string): (size: number) => Uint8Array {
  let drawn = 0
  return (size) => {
    drawn += 1
    return digestBytes('demo bytes', seed, name, drawn).subarray(0, size)
  }
}
