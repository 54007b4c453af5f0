import * as z from 'zod'

/** What is said of a setting beside its type. */
export interface About {
  /** What it is, in help and in docs/operating.md. */
  readonly help: string
  /** What its option takes, as `<seconds>`; empty for a switch. Without it there is no option. */
  readonly takes?: string
  /** The variables that may give it: the first that is not empty counts. */
  readonly variables?: readonly string[]
  /** What holds where it is not given and its type has no default. */
  readonly without?: string
  /**
   * What of it nobody may see: all, or the user and the query of a URL. What is secret as a whole
   * has no option: everybody on a machine can read those.
   */
  readonly secret?: 'all' | 'in its URL'
  /** What `af setup` asks, and what it proposes. */
  readonly question?: string
  readonly proposed?: string
}

/** One thing that a validator can be told. */
export interface Setting extends About {
  readonly name: string
  /** Under which its option is shown. */
  readonly heading: string
  /** What it must be, read from a text. */
  readonly type: z.ZodType
}

/** What is said of each setting's type: the schema is where settings are named. */
export const ABOUT: z.core.$ZodRegistry<About> = z.registry<About>()

/** A text that must be given. */
export function text(): z.ZodString {
  return z.string('not given')
}

/** A text that must be given, of the form that `what` names. */
export function like(pattern: RegExp, what: string): z.ZodString {
  return text().regex(pattern, `expected ${what}`)
}

/** An identifier or a key. */
export function word(): z.ZodString {
  return like(/^[!-~]+$/, 'printable ASCII without spaces')
}

const PLAIN_URL = /^(?=.{1,128}$)https?:\/\/[\w.:[\]-]+(\/[\w.~/-]*)?$/

/** A URL that fits in a commitment. */
export function web(): z.ZodString {
  return like(PLAIN_URL, 'a plain URL, 128 bytes at most')
}

/** The name of a bucket in S3 and in Google Cloud Storage. */
export function bucketName(): z.ZodString {
  return like(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, "a bucket's name")
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
