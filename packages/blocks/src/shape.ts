import { type Json, parseCanonical, type Result } from '@affine/prng'
import { type BlockFault, type Failure, fault } from './fault.ts'

/** What is wrong with a value and where (`.ms: expected …`), or null. Never quotes the value. */
export type Check = (value: unknown) => string | null

const check =
  (holds: (value: unknown) => boolean, expected: string): Check =>
  (value) =>
    holds(value) ? null : `: expected ${expected}`

export const anyText: Check = check((value) => typeof value === 'string', 'text')

const text = (pattern: RegExp, expected: string): Check =>
  check((value) => typeof value === 'string' && pattern.test(value), expected)

export const integer = (low: number, high: number): Check =>
  check((value) => Number.isSafeInteger(value) && Number(value) >= low && Number(value) <= high, `${low}..${high}`)

export const oneOf = (...values: readonly unknown[]): Check =>
  check((value) => values.includes(value), values.map((value) => JSON.stringify(value)).join(' or '))

export const hash: Check = text(/^[0-9a-f]{64}$/, '64 lower-case hex digits')
export const signature: Check = text(/^[0-9a-f]{128}$/, '128 lower-case hex digits')
/** SS58 text of 32 bytes under prefix 42 always has this form. Its checksum is for who verifies signatures. */
export const hotkey: Check = text(/^5[1-9A-HJ-NP-Za-km-z]{47}$/, 'an SS58 address with prefix 42')
/** What people will see of it is safe to print as it is. */
export const printable = (most: number): Check =>
  text(new RegExp(`^[!-~]{1,${most}}$`), `1 to ${most} printable ASCII characters without spaces`)

export function list(item: Check): Check {
  return (value) => {
    if (!Array.isArray(value)) return ': expected an array'
    for (const [i, member] of value.entries()) {
      const wrong = item(member)
      if (wrong !== null) return `[${i}]${wrong}`
    }
    return null
  }
}

/** Exactly the `required` keys, and those of the `optional` ones that are there. Only own keys count. */
export function object(
  required: Readonly<Record<string, Check>>,
  optional: Readonly<Record<string, Check>> = {},
): Check {
  const needed = Object.keys(required)
  const members = new Map(Object.entries({ ...required, ...optional }))
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return ': expected an object'
    for (const key of needed) if (!Object.hasOwn(value, key)) return `.${key}: missing`
    for (const [key, member] of Object.entries(value)) {
      const known = members.get(key)
      if (known === undefined) return ': has an unknown key'
      const wrong = known(member)
      if (wrong !== null) return `.${key}${wrong}`
    }
    return null
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The text of UTF-8 bytes, a byte order mark kept, or null. */
export function decode(bytes: Uint8Array): string | null {
  try {
    return utf8.decode(bytes)
  } catch {
    return null
  }
}

/** One line of canonical JSON, of a shape; `code` is the fault if it has another. Never throws. */
export function readLine(line: Uint8Array, most: number, shape: Check, code: BlockFault): Result<Json, BlockFault> {
  if (line.length > most) return fault('TOO_LARGE', `expected at most ${most} bytes, got ${line.length}`)
  const content = decode(line)
  if (content === null) return fault('NOT_UTF8', 'the line is not UTF-8')
  const parsed = parseCanonical(content)
  if (!parsed.ok) return parsed
  const wrong = shape(parsed.value)
  return wrong === null ? parsed : fault(code, wrong.replace(/^[:.] ?/, ''))
}

/** The same fault, with its place put before its detail. */
export function at(place: string, { code, detail }: Failure): Failure {
  return fault(code, `${place}: ${detail}`)
}
