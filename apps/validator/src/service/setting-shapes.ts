import * as z from 'zod'

/** A text that must be given. */
export function text(): z.ZodString {
  return z.string('not given')
}

/** A text of the form that `what` names, or nothing. */
export function like(pattern: RegExp, what: string): z.ZodOptional<z.ZodString> {
  return text().regex(pattern, `expected ${what}`).optional()
}

/** An identifier or a key, or nothing. */
export function word(): z.ZodOptional<z.ZodString> {
  return like(/^[!-~]+$/, 'printable ASCII without spaces')
}

/** A URL that fits in a commitment, or nothing. */
export function web(): z.ZodOptional<z.ZodString> {
  const pattern = /^(?=.{1,128}$)https?:\/\/[\w.:[\]-]+(\/[\w.~/-]*)?$/
  return like(pattern, 'a plain URL, 128 bytes at most')
}

/** A switch, or nothing. */
export function yes(): z.ZodOptional<z.ZodCodec<z.ZodString, z.ZodBoolean>> {
  return z.stringbool('expected true or false').optional()
}

/** A whole number that must be given. */
export function whole(low: number, high: number): z.coerce.ZodCoercedNumber {
  const expected = `expected a whole number, ${low} to ${high}`
  return z.coerce.number(expected).int(expected).min(low, expected).max(high, expected)
}
