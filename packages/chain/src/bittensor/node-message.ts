import { type JsonBounds, parseBounded } from '@affine/prng'
import { hexToBytes } from '@noble/hashes/utils.js'
import * as z from 'zod/mini'

/**
 * In characters. The longest honest answer is a full block: 7.5 MiB of calls, in hex. A page of
 * 1000 commitments has about 1 MB.
 */
export const MAX_MESSAGE: number = 2 ** 24

/**
 * Long answers have long strings, few commas and few brackets. A full block has about ten thousand
 * commas, between its calls.
 */
const BOUNDS: JsonBounds = { items: 2 ** 17, depth: 64 }

/** A node's refusal. */
interface NodeError {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/** News of a subscription, a refusal, or an answer, in JSON-RPC 2.0. */
export interface NodeMessage {
  readonly id?: unknown
  readonly result?: unknown
  readonly error?: NodeError | undefined
  readonly params?: { readonly subscription?: unknown; readonly result?: unknown } | undefined
}

const anything = z.optional(z.unknown())
const messageShape: z.ZodMiniType<NodeMessage> = z.object({
  id: anything,
  result: anything,
  error: z.optional(z.object({ code: z.number(), message: z.string(), data: anything })),
  params: z.optional(z.object({ subscription: anything, result: anything })),
})

/**
 * Reads a node's message.
 * @throws Error if it is too long, or not such a message.
 */
export function readMessage(text: string): NodeMessage {
  if (text.length > MAX_MESSAGE) throw new RangeError('too long')
  return messageShape.parse(parseBounded(maskUnprintable(text), BOUNDS))
}

/** An escape that does not stand for itself, or a character that is not printable ASCII. */
const UNPRINTABLE = /\\(?!["/\\])|[^\x20-\x7e\t\n\r]/
const ESCAPES = /(\\["/\\])|\\u[\da-fA-F]{4}|\\.|[^\x20-\x7e\t\n\r]/gu

/** In characters. Longer answers are in hex: to replace millions of characters takes a gigabyte. */
const MAX_MASKED = 2 ** 16

/**
 * A JSON text with a question mark for every character, escaped or not, that is not printable
 * ASCII. The library prints answers that it cannot use, and this client reads nothing that has such
 * characters.
 * @throws RangeError if a long text has one.
 */
function maskUnprintable(text: string): string {
  if (!UNPRINTABLE.test(text)) return text
  if (text.length > MAX_MASKED) throw new RangeError('too long for what it holds')
  return text.replace(ESCAPES, (_, plain?: string) => plain ?? '?')
}

/** A refusal as an error: the node's code, message and data. */
export function refusalOf({ code, message, data }: NodeError): Error {
  let said = `${code}: ${message}`
  if (data !== undefined) said += `: ${JSON.stringify(data)}`
  return new Error(asciiLine(said))
}

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

/** An untrusted text as one line of printable ASCII, of at most 300 characters, for a terminal. */
export const asciiLine = (text: string): string => text.slice(0, 300).replace(/[^\x20-\x7e]+/g, '?')
