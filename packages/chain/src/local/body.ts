/** The content type of what a local chain's server and its clients send to each other. */
export const JSON_TYPE = 'application/json'

/**
 * The text of a body. Rejects if the body is not UTF-8, and as soon as it has more than `limit`
 * characters.
 */
export async function readText(
  body: ReadableStream<Uint8Array<ArrayBuffer>> | null,
  limit: number,
): Promise<string> {
  if (body === null) return ''
  let text = ''
  for await (const part of body.pipeThrough(new TextDecoderStream('utf-8', { fatal: true }))) {
    text += part
    if (text.length > limit) throw new RangeError(`the body has more than ${limit} characters`)
  }
  return text
}

/** How much of an answer is made before its reader takes it, in characters. */
const PART_LENGTH = 16_384

/**
 * A body of these pieces of ASCII text. Pieces are made only as the body is read: for a reader that
 * has stopped, at most 16 KiB and one piece are kept.
 */
export function bodyOf(pieces: Iterator<string>): ReadableStream<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder()
  const pull = (stream: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>) => {
    let text = ''
    let next = pieces.next()
    for (; !next.done; next = pieces.next()) {
      text += next.value
      if (text.length >= PART_LENGTH) break
    }
    if (text !== '') stream.enqueue(encoder.encode(text))
    if (next.done) stream.close()
  }
  return new ReadableStream({ pull }, { highWaterMark: 0 })
}
