/**
 * A record as JSON in ASCII, since a terminal acts on some characters that JSON may hold. Counts
 * and stakes that are BigInt become decimal strings.
 */
export function toJson(record: object): string {
  return JSON.stringify(record, plain).replace(/[^ -~]/g, escapeUnit)
}

const plain = (_: string, value: unknown): unknown =>
  typeof value === 'bigint' ? String(value) : value

/** A character of 16 bits as JSON may write it. */
const escapeUnit = (unit: string): string =>
  `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
