import * as z from 'zod'
import { parseJson } from '../json.ts'
import { asciiLine } from './ascii-line.ts'

/**
 * The longest honest answer is a full block: 7.5 MiB of calls, in hex. A page of 1000 commitments
 * has about 1 MB.
 */
export const MAX_MESSAGE: number = 2 ** 24

/** Long answers are long strings. A full block has some ten thousand of them, for its calls. */
const MAX_COMMAS = 2 ** 17

/** What a node refuses with. */
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

const anything = z.unknown().optional()
const messageShape: z.ZodType<NodeMessage> = z.object({
  id: anything,
  result: anything,
  error: z.object({ code: z.number(), message: z.string(), data: anything }).optional(),
  params: z.object({ subscription: anything, result: anything }).optional(),
})

/**
 * What a node says.
 * @throws Error when it is too long, or is no such message.
 */
export function readMessage(text: string): NodeMessage {
  if (text.length > MAX_MESSAGE) throw new RangeError('too long')
  return messageShape.parse(parseJson(printable(text), MAX_COMMAS))
}

/**
 * A JSON text with a question mark for any character, escaped or not, that is no printable ASCII:
 * the library prints what it cannot use, and nothing that is read from a node has others.
 */
const printable = (text: string): string =>
  text.replace(/(\\["\\/])|\\u[\da-f]{4}|\\.|[^\t\n\r -~]/gi, (_, plain) => plain ?? '?')

/** A refusal as an error: the node's code, message and data. */
export function refusalOf({ code, message, data }: NodeError): Error {
  let said = `${code}: ${message}`
  if (data !== undefined) said += `: ${JSON.stringify(data)}`
  return new Error(asciiLine(said))
}
