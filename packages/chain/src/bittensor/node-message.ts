import { type JsonBounds, parseBounded } from '@affine/prng'
import { hexToBytes } from '@noble/hashes/utils.js'
import { compactFromU8aLim } from '@polkadot/util'
import * as z from 'zod/mini'

/**
 * Maximum length of a message in characters. The longest honest answer is a full block: 7.5 MiB of
 * calls, in hex.
 */
export const MAX_MESSAGE: number = 2 ** 24

/** Limits of a message's JSON. A full block has about ten thousand commas, between its calls. */
const BOUNDS: JsonBounds = { items: 2 ** 17, depth: 64 }

interface NodeError {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/** A notification of a subscription, a refusal, or an answer, in JSON-RPC 2.0. */
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
 * @throws Error if the text is too long or malformed.
 */
export function readMessage(text: string): NodeMessage {
  if (text.length > MAX_MESSAGE) throw new RangeError('too long')
  return messageShape.parse(parseBounded(maskUnprintable(text), BOUNDS))
}

/**
 * An escape of a character other than `"`, `/` and `\`, or a character that is neither printable
 * ASCII nor a tab or part of a line end.
 */
const UNPRINTABLE = /\\(?!["/\\])|[^\x20-\x7e\t\n\r]/
const ESCAPES = /(\\["/\\])|\\u[\da-fA-F]{4}|\\.|[^\x20-\x7e\t\n\r]/gu

/** Maximum length of a text to mask. Longer answers are hex, and masking one could take 1 GB. */
const MAX_MASKED = 2 ** 16

/**
 * Replaces by question marks, in a JSON text, all escapes except those of `"`, `/` and `\`, and all
 * characters except printable ASCII, tabs and line ends: @polkadot/api prints answers that it
 * cannot use. This client needs none of the replaced characters.
 * @throws RangeError if a text over 65,536 characters has such a character or escape.
 */
function maskUnprintable(text: string): string {
  if (!UNPRINTABLE.test(text)) return text
  if (text.length > MAX_MASKED) throw new RangeError('a long text with unprintable characters')
  return text.replace(ESCAPES, (_, plain?: string) => plain ?? '?')
}

export function createRefusalError({ code, message, data }: NodeError): Error {
  let text = `${code}: ${message}`
  if (data !== undefined) text += `: ${JSON.stringify(data)}`
  return new Error(toAsciiLine(text))
}

/** Maximum digits of metadata in hex. Runtimes have up to 1.4 million, Bittensor's 0.7 million. */
const MAX_LENGTH = 2 ** 21

/** Maximum number of types in metadata. Real runtimes have about a thousand. */
const MAX_TYPES = 2 ** 12

/**
 * The start of metadata in hex: "meta", a version, and the number of types as SCALE's compact
 * integer. Up to 6 bytes that state the length of the metadata may precede "meta".
 */
const BEGINNING = /^0x(?:[\da-f]{2}){0,6}?6d657461[\da-f]{2}((?:[\da-f]{2}){1,7})/i

/**
 * Checks the size of metadata, and of no other answer: decoding metadata blocks this process, for
 * seconds if it is long, and for minutes if it has many types.
 * @throws Error if the metadata is longer or has more types than any real runtime's.
 */
export function checkMetadata(method: string, [name]: readonly unknown[], answer: unknown): void {
  const isMetadata = method === 'state_getMetadata' || `${name}`.startsWith('Metadata_')
  if (!isMetadata || typeof answer !== 'string') return
  const [, count] = BEGINNING.exec(answer.slice(0, 40)) ?? []
  // An answer with another beginning is a short list of versions, or cannot be decoded.
  const types = count === undefined ? answer.length : compactFromU8aLim(hexToBytes(count))[1]
  if (answer.length > MAX_LENGTH || types > MAX_TYPES)
    throw new RangeError(`the metadata is too large: ${answer.length} digits and ${types} types`)
}

/** Returns an untrusted text as one line of at most 300 printable ASCII characters. */
export const toAsciiLine = (text: string): string =>
  text.slice(0, 300).replace(/[^\x20-\x7e]+/g, '?')
