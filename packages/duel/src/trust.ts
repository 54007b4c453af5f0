import type { Protocol } from './protocol.ts'

/** How often a validator's lanes were good, in millionths of a lane, older ones fading. */
export type Trust = { readonly correct: number; readonly incorrect: number }

/** What a validator without a record has. */
export const NEWCOMER: Trust = Object.freeze({ correct: 0, incorrect: 0 })

const PPM = 1_000_000n

/** Trust in ppm: the mean of Beta(1 + correct, 1 + incorrect), so a newcomer has one half. */
export function trust({ correct, incorrect }: Trust): number {
  const good = PPM + BigInt(correct)
  return Number((PPM * good) / (good + PPM + BigInt(incorrect)))
}

/** The record after an epoch in which `good` lanes were correct and `bad` were not: what was there fades first. */
export function remember(record: Trust, good: number, bad: number, { trustFadePpm }: Protocol): Trust {
  const faded = (count: number) => Number((BigInt(count) * BigInt(trustFadePpm)) / PPM)
  return {
    correct: faded(record.correct) + good * Number(PPM),
    incorrect: faded(record.incorrect) + bad * Number(PPM),
  }
}
