import * as z from 'zod'

/** One thing that a validator can be told. */
export interface Row {
  /** What it must be, read from a text. */
  readonly shape: z.ZodType
  /** Its option. A secret has none: everybody on the machine can read those. */
  readonly option?: string
  /** What is shown of the option; missing where `withAccount` adds it. */
  readonly help?: string
  /** The variables that do for it: the first that is not empty counts. */
  readonly variables: readonly string[]
  readonly secret?: true
}

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

/** Where a bucket in S3 is named. */
export function style(): z.ZodDefault<z.ZodEnum<{ path: 'path'; virtual: 'virtual' }>> {
  return z.enum(['path', 'virtual'], 'expected path or virtual').default('path')
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
