import { hexToBytes } from '@noble/hashes/utils.js'

/** In hex. Real runtimes have up to 1.4 MB, Bittensor's half as much. */
const MAX_LENGTH = 2 ** 21

/** Real runtimes have about a thousand. */
const MAX_TYPES = 2 ** 12

/** "meta", a version, and the number of types as SCALE's compact integer, all in hex. */
const BEGINNING = /^0x(?:[\da-f]{2}){0,6}?6d657461[\da-f]{2}((?:[\da-f]{2}){1,4})/i

/**
 * Looks at the metadata that a node answers with: it is decoded in one go, which takes seconds of
 * nothing else by its size, and minutes by the number of its types.
 * @throws RangeError for more than a runtime has.
 */
export function checkMetadata(method: string, [name]: readonly unknown[], answer: unknown): void {
  const isMetadata = method === 'state_getMetadata' || `${name}`.startsWith('Metadata_')
  if (!isMetadata || typeof answer !== 'string') return
  const [, count] = BEGINNING.exec(answer.slice(0, 40)) ?? []
  // What does not begin so is a list of versions, which is short, or nothing that can be read.
  const types = count === undefined ? answer.length : compactOf(count)
  if (answer.length > MAX_LENGTH || types > MAX_TYPES)
    throw new RangeError(`its metadata has ${answer.length} digits and ${types} types`)
}

/** SCALE's compact integer, which these bytes in hex begin with; infinite from 2^30 on. */
function compactOf(hex: string): number {
  const bytes = hexToBytes(hex.padEnd(8, '0'))
  const whole = new DataView(bytes.buffer).getUint32(0, true)
  const sizes = [whole & 0xff, whole & 0xffff, whole, Number.POSITIVE_INFINITY]
  return Math.floor((sizes[whole & 3] ?? 0) / 4)
}
