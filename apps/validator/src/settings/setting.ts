import * as z from 'zod'

/** Everything about a setting except its type. */
export interface About {
  /** What it is, for help and for docs/operating.md. */
  readonly help: string
  /** The option's value, as `<folder>`; empty for a switch. Without it there is no option. */
  readonly takes?: string
  /** The variables that can give it: the first that is not empty counts. */
  readonly variables?: readonly string[]
  /** The default as a text for help, if its type has none. */
  readonly without?: string
  /**
   * Which part is masked: all, or the user and the query of a URL. A setting that is all secret has
   * no option, because everybody on a machine can read command lines.
   */
  readonly secret?: 'all' | 'in its URL'
  /** What `af setup` asks, and what it proposes. */
  readonly question?: string
  readonly proposed?: string
}

/** One setting of a validator. */
export interface Setting extends About {
  readonly name: string
  /** The heading in help above its option. */
  readonly heading: string
  /** Checks a text and turns it into the value. */
  readonly type: z.ZodType
}

/** The description of each setting, by its type. */
export const ABOUT = z.registry<About>()

/** A text that must be given. */
export function text() {
  return z.string('not given')
}

/** A text that must be given and match the pattern; `what` describes it in errors. */
export function like(pattern: RegExp, what: string) {
  return text().regex(pattern, `expected ${what}`)
}

/** An identifier or a key. */
export function word() {
  return like(/^[!-~]+$/, 'printable ASCII without spaces')
}

const PLAIN_URL = /^(?=.{1,128}$)https?:\/\/[\w.:[\]-]+(\/[\w.~/-]*)?$/

/** A URL that fits in a commitment. */
export function web() {
  const what = 'a plain URL, 128 bytes at most'
  return like(PLAIN_URL, what).refine(URL.canParse, `expected ${what}`)
}

/** The name of a bucket in S3 and in Google Cloud Storage. */
export function bucketName() {
  return like(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, '3 to 63 of a-z, 0-9, "." and "-"')
}

/** A switch that may be missing. */
export function yes() {
  return z.stringbool('expected true or false').optional()
}

/** A whole number that must be given. */
export function whole(low: number, high: number) {
  const expected = `expected a whole number, ${low} to ${high}`
  return z.coerce.number(expected).int(expected).min(low, expected).max(high, expected)
}
