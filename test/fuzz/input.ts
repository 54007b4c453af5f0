/** What readers are given is bytes; these make of them what each one takes. */

export const bytesOf = (text: string): Uint8Array => Buffer.from(text)
export const jsonOf = (value: unknown): Uint8Array => bytesOf(JSON.stringify(value))

/** As the programs decode what they read: U+FFFD for what is not UTF-8. */
export const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

/** Without their line feeds. */
export function linesOf(bytes: Uint8Array): Uint8Array[] {
  const lines: Uint8Array[] = []
  for (let start = 0; start < bytes.length; ) {
    const found = bytes.indexOf(0x0a, start)
    const end = found === -1 ? bytes.length : found
    lines.push(bytes.subarray(start, end))
    start = end + 1
  }
  return lines
}

/** The members of the object that bytes say, as JSON; none where they say anything else. */
export function objectIn(bytes: Uint8Array): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(textOf(bytes))
    return value instanceof Object ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

/** A line that stands in JSON as a value, as its text; empty where it nests too deeply. */
export function lineIn(line: unknown): unknown {
  if (Object(line) !== line) return line
  try {
    return JSON.stringify(line)
  } catch {
    return ''
  }
}

/** Parts of bytes, each behind a byte that says how long it is. */
export function partsOf(bytes: Uint8Array): Uint8Array[] {
  const parts: Uint8Array[] = []
  for (let at = 0; at < bytes.length; ) {
    const start = at + 1
    at = start + (bytes[at] ?? 0)
    parts.push(bytes.subarray(start, at))
  }
  return parts
}

export const joinParts = (parts: readonly Uint8Array[]): Uint8Array =>
  Buffer.concat(parts.flatMap((part) => [Uint8Array.of(part.length), part]))

/** Recognises errors by their class alone: what extends it is another. */
export const refusal =
  (...classes: readonly (abstract new (...words: never[]) => Error)[]) =>
  (error: unknown): boolean =>
    classes.some((each) => error instanceof Error && error.constructor === each)

/** A fault of the reader's, which is no refusal, unless it gives back what it took. */
export function expectSame(got: string, expected: string): void {
  if (got !== expected) throw new Error(`read as ${got.slice(0, 300)}`)
}

/** A line, without anything that a terminal acts on. */
export function expectPrintable(line: string): string {
  if (/[\p{Cc}\p{Bidi_Control}\p{Surrogate}]/u.test(line)) throw new Error('not printable')
  return line
}
