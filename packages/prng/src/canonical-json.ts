/** A value with a canonical text: it contains no floats and no null. */
export type Json = string | number | boolean | readonly Json[] | { readonly [key: string]: Json }

/**
 * The result of a reader of untrusted data, which never throws. Programs read `code`, people
 * `detail`.
 */
export type Result<T, Code extends string = string> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly code: Code; readonly detail: string }

/** Maximum nesting of arrays and objects, which limits the recursion on hostile text. */
const MAX_DEPTH = 16

/**
 * Returns the canonical text of a value by RFC 8785 (keys in the order of their UTF-16 code units,
 * no spaces, the shortest escapes), for integers within ±(2^53 - 1) only. A key `__proto__` is not
 * special.
 *
 * Does not call `toJSON`. Ignores inherited and symbol keys.
 *
 * Source: RFC 8785 §3.2. Vectors: vectors/prng/canonical-json.json. Protocol §1.1.
 * @throws TypeError for null, undefined, bigint, functions, symbols, holes and objects of a class.
 * @throws RangeError for fractions, NaN, -0, numbers past ±(2^53 - 1), lone surrogates, and a
 *   depth over 16.
 */
export function canonicalize(value: Json): string {
  return write(value, 0)
}

/**
 * Reads a text only if it is canonical: `canonicalize(JSON.parse(text)) === text`. This rejects
 * duplicate keys, spaces, other orders, other escapes, `1.0`, `1e2` and `-0`. Never throws.
 *
 * `detail` never quotes the text, which may control a terminal. The length is not limited. Objects
 * have the usual prototype, so read keys with `own`. Protocol §1.1.
 */
export function parseCanonical(text: string): Result<Json, 'NOT_JSON' | 'NOT_CANONICAL'> {
  let value: Json
  try {
    value = JSON.parse(text)
  } catch {
    return { ok: false, code: 'NOT_JSON', detail: 'the text is not JSON' }
  }
  if (isCompact(text, countKeys(value, 0))) return { ok: true, value }
  try {
    if (canonicalize(value) === text) return { ok: true, value }
  } catch (error) {
    return { ok: false, code: 'NOT_CANONICAL', detail: (error as Error).message }
  }
  const detail = 'the text differs from the canonical text of its value'
  return { ok: false, code: 'NOT_CANONICAL', detail }
}

/**
 * Returns the number of keys in a value from `JSON.parse`, or NaN if a key is out of order or below
 * `:`, or a part is null, not a canonical number or too deep. Does not check strings for lone
 * surrogates. `depth` is the number of arrays and objects around the value.
 */
function countKeys(value: Json | null, depth: number): number {
  if (typeof value === 'string' || typeof value === 'boolean') return 0
  if (typeof value === 'number') return isCanonicalNumber(value) ? 0 : NaN
  if (value === null || depth === MAX_DEPTH) return NaN
  if (!isArray(value)) return countObjectKeys(value, depth + 1)
  let count = 0
  for (const item of value) count += countKeys(item, depth + 1)
  return count
}

/**
 * Returns `countKeys` for an object. Engines store keys in the order of the text, except array
 * indices such as `7`, which come first: every key below `:`, as indices are, gives NaN. `for in`
 * is faster than `Object.keys`.
 */
function countObjectKeys(record: { readonly [key: string]: Json }, depth: number): number {
  let count = 0
  let before = ''
  for (const key in record) {
    if (before > key || key < ':') return NaN
    before = key
    count += 1 + countKeys(record[key] ?? null, depth)
  }
  return count
}

const isArray = (value: Json): value is readonly Json[] => Array.isArray(value)

const isCanonicalNumber = (value: number): boolean =>
  Number.isSafeInteger(value) && !Object.is(value, -0)

const [SPACE, QUOTE, DOT, COLON] = [0x20, 0x22, 0x2e, 0x3a]
const [UPPER_E, BACKSLASH, LOWER_E] = [0x45, 0x5c, 0x65]

/**
 * Reports whether a JSON text is certainly canonical; `keys` is `countKeys` of its value. Only
 * spaces, floats, repeated keys, long escapes and lone surrogates are left to find, which takes a
 * quarter of the time of writing the value again. Returns false for some canonical texts: with a
 * key below `:`, a boolean, whose `e` could belong to a float, or a `u` or `/` after a backslash.
 */
function isCompact(text: string, keys: number): boolean {
  let colons = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === QUOTE) i = endOfString(text, i)
    else if (code === COLON) colons++
    else if (code <= SPACE || code === DOT || code === UPPER_E || code === LOWER_E) return false
  }
  return colons === keys && text.isWellFormed() && !text.includes('\\u') && !text.includes('\\/')
}

/** Returns the index of the quote that ends the string beginning at `start`, or the text's end. */
export function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = end
    while (text.charCodeAt(escapes - 1) === BACKSLASH) escapes--
    const isEscaped = (end - escapes) % 2 === 1
    if (!isEscaped) return end
  }
  return text.length
}

/** Returns the text of a value. `depth` is the number of arrays and objects around it. */
function write(value: unknown, depth: number): string {
  if (typeof value === 'string') return writeString(value)
  if (typeof value === 'number') return writeInteger(value)
  if (typeof value === 'boolean') return String(value)
  if (value === null) throw unsupported('null')
  if (typeof value !== 'object') throw unsupported(typeof value)
  if (depth === MAX_DEPTH) throw new RangeError(`"value" expected a depth of at most ${MAX_DEPTH}`)
  if (Array.isArray(value)) return writeArray(value, depth + 1)
  if (isInstance(value)) throw unsupported('an object of a class')
  return writeObject(value as Record<string, unknown>, depth + 1)
}

function writeString(value: string): string {
  if (!value.isWellFormed())
    throw new RangeError('"value" expected strings without lone surrogates')
  return JSON.stringify(value)
}

function writeInteger(value: number): string {
  if (isCanonicalNumber(value)) return String(value)
  const got = Object.is(value, -0) ? '-0' : String(value)
  throw new RangeError(`"value" expected integers within ±(2^53 - 1), got ${got}`)
}

function writeArray(items: readonly unknown[], depth: number): string {
  let text = ''
  for (const item of items) text += `${text && ','}${write(item, depth)}`
  return `[${text}]`
}

/** Returns an object's text. Sorting compares UTF-16 code units, as RFC 8785 requires. */
function writeObject(record: Readonly<Record<string, unknown>>, depth: number): string {
  let text = ''
  for (const key of Object.keys(record).sort())
    text += `${text && ','}${writeString(key)}:${write(record[key], depth)}`
  return `{${text}}`
}

/**
 * Reports whether an object is an instance of a class. A plain object of another realm has another
 * Object.prototype, which also has no prototype.
 */
function isInstance(value: object): boolean {
  const prototype = Object.getPrototypeOf(value)
  return prototype !== null && Object.getPrototypeOf(prototype) !== null
}

const unsupported = (got: string): TypeError =>
  new TypeError(
    `"value" expected strings, integers, booleans, arrays and plain objects, got ${got}`,
  )

/**
 * Returns the value of a record's own key, or undefined. Keys can be untrusted text, so never
 * returns a property of the prototype.
 */
export function own<Value>(
  record: Readonly<Record<string, Value>> | undefined,
  key: string,
): Value | undefined {
  if (record === undefined || !Object.hasOwn(record, key)) return undefined
  return record[key]
}
