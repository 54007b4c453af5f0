import { InvalidArgumentError } from '@commander-js/extra-typings'

/** Reads an option that must be a whole number in a range. */
export function whole(low: number, high: number): (text: string) => number {
  return (text) => {
    const value = Number(text)
    if (/^\d+$/.test(text) && value >= low && value <= high) return value
    throw new InvalidArgumentError(`Expected a whole number, ${low} to ${high}.`)
  }
}

/** Reads an option that must be a share, 0 to 1. */
export function shareOption(text: string): number {
  const value = Number(text)
  if (text.trim() !== '' && value >= 0 && value <= 1) return value
  throw new InvalidArgumentError('Expected a number, 0 to 1.')
}

export const port: (text: string) => number = whole(0, 65_535)
