import { PPM } from '@affine/wilson'
import type { Protocol } from './protocol.ts'
import type { Trust } from './state.ts'

/** What a validator without a record has. */
const NEWCOMER: Trust = Object.freeze({ correct: 0, incorrect: 0 })

/**
 * Trust in ppm: the mean of Beta(1 + correct, 1 + incorrect), so that who has no record has one
 * half. Protocol §8.9.
 */
export function trustOf({ correct, incorrect }: Trust = NEWCOMER): number {
  const good = PPM + BigInt(correct)
  return Number((PPM * good) / (good + PPM + BigInt(incorrect)))
}

/** Environments of one epoch in which a lane was good, and in which it was not. */
interface LaneRecord {
  readonly correct: number
  readonly incorrect: number
}

/** The record after an epoch with these counts: what was there fades first. Protocol §8.9. */
export function remember(
  record: Trust | undefined = NEWCOMER,
  counted: LaneRecord,
  { trustFadePpm }: Protocol,
): Trust {
  const fade = (count: number): number => Number((BigInt(count) * BigInt(trustFadePpm)) / PPM)
  return {
    correct: counted.correct * 1_000_000 + fade(record.correct),
    incorrect: counted.incorrect * 1_000_000 + fade(record.incorrect),
  }
}
