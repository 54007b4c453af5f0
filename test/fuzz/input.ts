// Conversions between bytes and the inputs of readers.

export const bytesOf = (text: string): Uint8Array => Buffer.from(text)
export const jsonOf = (value: unknown): Uint8Array => bytesOf(JSON.stringify(value))

/** Decodes bytes like the programs, with U+FFFD for invalid UTF-8. */
export const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

/** Returns the lines of bytes without their line feeds. */
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

/** Returns the object that bytes contain as JSON, or an empty one. */
export function objectIn(bytes: Uint8Array): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(textOf(bytes))
    return value instanceof Object ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

/** Returns an object as JSON, empty if it nests too deeply; other values unchanged. */
export function lineIn(line: unknown): unknown {
  if (Object(line) !== line) return line
  try {
    return JSON.stringify(line)
  } catch {
    return ''
  }
}

/** Splits bytes into parts, each preceded by a byte with its length. */
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

/** Returns a function that reports whether an error has exactly one of these classes. */
export const refusal =
  (...classes: readonly (abstract new (...words: never[]) => Error)[]) =>
  (error: unknown): boolean =>
    classes.some((each) => error instanceof Error && error.constructor === each)

/** Throws an Error, which counts as a fault of the reader, if the texts differ. */
export function expectSame(got: string, expected: string): void {
  if (got !== expected) throw new Error(`read as ${got.slice(0, 300)}`)
}

/** Returns a line. Throws if it has control characters. */
export function expectPrintable(line: string): string {
  if (/[\p{Cc}\p{Bidi_Control}\p{Surrogate}]/u.test(line)) throw new Error('not printable')
  return line
}
