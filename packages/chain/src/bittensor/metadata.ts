import { hexToBytes } from '@noble/hashes/utils.js'

/** In hex digits. Real runtimes have up to 1.4 million, Bittensor's half as many. */
const MAX_LENGTH = 2 ** 21

/** Real runtimes have about a thousand. */
const MAX_TYPES = 2 ** 12

/** "meta", a version, and the number of types as SCALE's compact integer, all in hex. */
const BEGINNING = /^0x(?:[\da-f]{2}){0,6}?6d657461[\da-f]{2}((?:[\da-f]{2}){1,4})/i

/**
 * Checks the size of the metadata in a node's answer. Decoding it blocks this process, for seconds
 * if it is long, and for minutes if it has many types. Other answers are not checked.
 * @throws RangeError if it is longer or has more types than those of real runtimes.
 */
export function checkMetadata(method: string, [name]: readonly unknown[], answer: unknown): void {
  const isMetadata = method === 'state_getMetadata' || `${name}`.startsWith('Metadata_')
  if (!isMetadata || typeof answer !== 'string') return
  const [, count] = BEGINNING.exec(answer.slice(0, 40)) ?? []
  // With another beginning it is a list of versions, which is short, or it cannot be decoded.
  const types = count === undefined ? answer.length : compactOf(count)
  if (answer.length > MAX_LENGTH || types > MAX_TYPES)
    throw new RangeError(`its metadata has ${answer.length} digits and ${types} types`)
}

/** SCALE's compact integer at the beginning of these bytes, in hex; infinite from 2^30 on. */
function compactOf(hex: string): number {
  const bytes = hexToBytes(hex.padEnd(8, '0'))
  const whole = new DataView(bytes.buffer).getUint32(0, true)
  const sizes = [whole & 0xff, whole & 0xffff, whole, Number.POSITIVE_INFINITY]
  return Math.floor((sizes[whole & 3] ?? 0) / 4)
}
