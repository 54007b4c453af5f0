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
