import { decodeAddress } from './account.ts'

/** Says whether untrusted JSON has one exact shape. Never throws. */
export type Guard<T> = (value: unknown) => value is T

export const integer =
  (low: number, high: number = Number.MAX_SAFE_INTEGER): Guard<number> =>
  (value): value is number =>
    typeof value === 'number' && Number.isSafeInteger(value) && value >= low && value <= high

export const text =
  <T extends string>(pattern: RegExp): Guard<T> =>
  (value): value is T =>
    typeof value === 'string' && pattern.test(value)

export const either =
  <A, B>(a: Guard<A>, b: Guard<B>): Guard<A | B> =>
  (value): value is A | B =>
    a(value) || b(value)

export const list =
  <T>(item: Guard<T>, most: number): Guard<readonly T[]> =>
  (value): value is readonly T[] =>
    Array.isArray(value) && value.length <= most && value.every(item)

export const pair =
  <A, B>(first: Guard<A>, second: Guard<B>): Guard<readonly [A, B]> =>
  (value): value is readonly [A, B] =>
    Array.isArray(value) && value.length === 2 && first(value[0]) && second(value[1])

/** Exactly these keys, in this order: a value that passes has one JSON text. */
export const record = <T extends object>(shape: { readonly [K in keyof T]: Guard<T[K]> }): Guard<T> => {
  const guards: [string, Guard<unknown>][] = Object.entries(shape)
  return (value): value is T => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
    const own = Object.entries(value)
    return own.length === guards.length && guards.every(([key, guard], i) => own[i]?.[0] === key && guard(own[i][1]))
  }
}

export const hash: Guard<string> = text(/^[0-9a-f]{64}$/)
export const hotkey: Guard<string> = (value): value is string =>
  typeof value === 'string' && decodeAddress(value) !== null
export const u16: Guard<number> = integer(0, 65_535)

/** The value of a JSON text; undefined when it is none. Never throws. */
export function parseJson(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}
