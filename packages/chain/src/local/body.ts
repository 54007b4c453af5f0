/** What a server of a local chain and its clients send to each other. */
export const JSON_TYPE = 'application/json'

/**
 * A body of at most `limit` characters of UTF-8, as text. Rejects on any other, and reads no
 * further.
 */
export async function readText(
  body: ReadableStream<Uint8Array<ArrayBuffer>> | null,
  limit: number,
): Promise<string> {
  if (body === null) return ''
  let text = ''
  for await (const part of body.pipeThrough(new TextDecoderStream('utf-8', { fatal: true }))) {
    text += part
    if (text.length > limit) throw new RangeError(`a body of more than ${limit} characters`)
  }
  return text
}

/** How much of an answer is made before its reader takes it, in characters. */
const PART = 16_384

/**
 * A text of ASCII in pieces as a body, which is made as fast as it is read: a reader who takes none
 * of it holds some 16 KiB, and the longest piece.
 */
export function bodyOf(pieces: Iterator<string>): ReadableStream<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder()
  const pull = (stream: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>) => {
    let text = ''
    let next = pieces.next()
    for (; !next.done; next = pieces.next()) {
      text += next.value
      if (text.length >= PART) break
    }
    if (text !== '') stream.enqueue(encoder.encode(text))
    if (next.done) stream.close()
  }
  return new ReadableStream({ pull }, { highWaterMark: 0 })
}
