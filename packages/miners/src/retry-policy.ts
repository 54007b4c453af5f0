import type { Options } from 'p-retry'
import type { CallFailure } from './asking.ts'
import { failureOf } from './call-failures.ts'
import { Undelivered } from './query.ts'

interface Retrying {
  readonly signal: AbortSignal
  /** A draw from 0 to 1. */
  readonly random: () => number
  /** Does the clock of a game run in the pauses? */
  readonly isGame?: boolean
  /** Hears how attempts failed. */
  readonly on?: ((failure: CallFailure) => void) | undefined
}

const GROWING = { minTimeout: 100, factor: 2 }
const CONSTANT = { minTimeout: 1000, factor: 1 }

/**
 * What is `Undelivered` is tried again until `signal` aborts: after pauses that grow up to half a
 * minute, or a whole; in a game after one to two seconds. Protocol §5.4.
 */
export function retryPolicy({ signal, random, isGame = false, on }: Retrying): Options {
  return {
    retries: Number.POSITIVE_INFINITY,
    ...(isGame ? CONSTANT : GROWING),
    maxTimeout: 30_000 * (1 + random()),
    randomize: true,
    shouldRetry: ({ error }) => error instanceof Undelivered,
    signal,
    onFailedAttempt: ({ error }) => {
      if (!signal.aborted) on?.(failureOf(error))
    },
  }
}
