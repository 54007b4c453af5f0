/** The bytes of a text in UTF-8. */
export const textBytes = (text: string): Uint8Array => new TextEncoder().encode(text)

/** As lower-case digits. */
export const hexOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')

/** The bytes that hex digits write; none for what are no such digits. */
export function bytesOf(hex: string): Uint8Array {
  if (!/^([0-9a-f]{2})*$/.test(hex)) return new Uint8Array()
  return Uint8Array.from(hex.match(/../g) ?? [], (digits) => Number.parseInt(digits, 16))
}
