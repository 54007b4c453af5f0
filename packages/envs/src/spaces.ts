import type { Generator } from '@affine/prng'

/** A set of values that can be tested for membership and sampled, as in Gymnasium. */
export interface Space<T> {
  /** How error messages and people call it, e.g. `Discrete(9)`. */
  readonly description: string
  /** Is `value` a member? Takes anything and never throws. */
  contains(value: unknown): value is T
  /** One member, drawn from `random`. Which draws are made is part of the contract: golden players use them. */
  sample(random: Generator): T
}

/** The integers 0 … `size` - 1. A sample is one `integers(0, size)`. */
export function Discrete(size: number): Space<number> {
  checkCount('size', size)
  return {
    description: `Discrete(${size})`,
    contains: (value): value is number => isBetween(value, 0, size - 1),
    sample: (random) => random.integers(0, size),
  }
}

/**
 * Strings of `minLength` … `maxLength` characters out of `charset`, which is ASCII.
 * A sample draws its length, `integers(minLength, maxLength + 1)`, then each character's index in `charset`.
 */
export function Text({ minLength, maxLength, charset }: TextShape): Space<string> {
  checkCount('maxLength', maxLength)
  if (!isBetween(minLength, 0, maxLength))
    throw new RangeError(`"minLength" expected 0..${maxLength}, got ${minLength}`)
  if (!/^[ -~]+$/.test(charset))
    throw new RangeError(`"charset" expected printable ASCII, got ${JSON.stringify(charset)}`)
  const draw = (random: Generator): string => charset.charAt(random.integers(0, charset.length))
  return {
    description: `Text(${minLength}..${maxLength}, ${JSON.stringify(charset)})`,
    contains: (value): value is string =>
      typeof value === 'string' &&
      isBetween(value.length, minLength, maxLength) &&
      [...value].every((character) => charset.includes(character)),
    sample: (random) => Array.from({ length: random.integers(minLength, maxLength + 1) }, () => draw(random)).join(''),
  }
}

export interface TextShape {
  readonly minLength: number
  readonly maxLength: number
  readonly charset: string
}

/** Lists of `length` integers, each `low` … `high`, both inclusive. A sample draws them in order. */
export function Box({ low, high, length }: BoxShape): Space<readonly number[]> {
  checkCount('length', length)
  if (!isBetween(low, Number.MIN_SAFE_INTEGER, high)) throw new RangeError(`"low" expected at most ${high}, got ${low}`)
  return {
    description: `Box(${low}..${high}, ${length})`,
    // Array.from turns holes into undefined; `every` alone would skip them.
    contains: (value): value is readonly number[] =>
      Array.isArray(value) && value.length === length && Array.from(value).every((item) => isBetween(item, low, high)),
    sample: (random) => Array.from({ length }, () => random.integers(low, high + 1)),
  }
}

export interface BoxShape {
  readonly low: number
  readonly high: number
  readonly length: number
}

function isBetween(value: unknown, low: number, high: number): value is number {
  return Number.isSafeInteger(value) && Number(value) >= low && Number(value) <= high
}

function checkCount(name: string, value: number): void {
  if (!isBetween(value, 1, Number.MAX_SAFE_INTEGER))
    throw new RangeError(`"${name}" expected an integer above 0, got ${value}`)
}
