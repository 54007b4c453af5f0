import { type Generator, pcg64 } from '@affine/prng'
import { drawSeed } from './challenge.ts'

/** A set of values that can be tested for membership and sampled, as in Gymnasium. */
export interface Space<T> {
  /** Name of the space in error messages, for example `Discrete(9)`. */
  readonly description: string
  /** Reports whether `value` is a member. Accepts any value and never throws. */
  contains(value: unknown): value is T
  /**
   * Returns a random member, drawn from `random` or, by default, from a process-wide stream with an
   * unpredictable seed. The sequence of draws is part of the contract, because an environment's
   * specHash depends on it.
   */
  sample(random?: Generator): T
}

let ownStream: Generator | undefined

function getOwnStream(): Generator {
  ownStream ??= pcg64(drawSeed())
  return ownStream
}

/** Returns the space of the integers 0 … `size` - 1. A sample draws one `integers(0, size)`. */
export function Discrete(size: number): Space<number> {
  return {
    description: `Discrete(${size})`,
    contains: (value): value is number => isBetween(value, 0, size - 1),
    sample: (random = getOwnStream()) => random.integers(0, size),
  }
}

/**
 * Returns the space of strings of `minLength` … `maxLength` characters of `charset`, which must be
 * ASCII. A sample draws its length, `integers(minLength, maxLength + 1)`, then each character's
 * index in `charset`.
 */
export function Text(shape: {
  minLength: number
  maxLength: number
  charset: string
}): Space<string> {
  const { minLength, maxLength, charset } = shape
  const characters = new Set(charset)
  return {
    description: `Text(${minLength}..${maxLength}, ${JSON.stringify(charset)})`,
    contains: (value): value is string =>
      typeof value === 'string' &&
      isBetween(value.length, minLength, maxLength) &&
      [...value].every((character) => characters.has(character)),
    sample: (random = getOwnStream()) => {
      const length = random.integers(minLength, maxLength + 1)
      const draw = (): string => charset.charAt(random.integers(0, charset.length))
      return Array.from({ length }, draw).join('')
    },
  }
}

/**
 * Returns the space of lists of `length` integers, each `low` … `high`, both inclusive. A sample
 * draws them in order.
 */
export function Box(shape: Record<'low' | 'high' | 'length', number>): Space<readonly number[]> {
  const { low, high, length } = shape
  return {
    description: `Box(${low}..${high}, ${length})`,
    contains: (value): value is readonly number[] => {
      if (!Array.isArray(value) || value.length !== length) return false
      // A loop also checks holes in the list, which `every` would skip.
      for (const item of value) if (!isBetween(item, low, high)) return false
      return true
    },
    sample: (random = getOwnStream()) => {
      const items: number[] = []
      while (items.length < length) items.push(random.integers(low, high + 1))
      return items
    },
  }
}

function isBetween(value: unknown, low: number, high: number): boolean {
  return Number.isSafeInteger(value) && Number(value) >= low && Number(value) <= high
}
