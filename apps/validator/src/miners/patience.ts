import type { Options } from 'p-retry'
import type { Setup } from '../service/setup.ts'
import { Undelivered } from './exchange.ts'

/**
 * What is `Undelivered` is tried again until `signal` aborts, after pauses that grow up to half a
 * minute, or a whole. `on` hears how attempts failed. Protocol §5.4.
 */
export function patience(signal: AbortSignal, on: Setup['on'] = () => {}): Options {
  return {
    retries: Number.POSITIVE_INFINITY,
    minTimeout: 100,
    maxTimeout: 30_000 * (1 + Math.random()),
    randomize: true,
    shouldRetry: ({ error }) => error instanceof Undelivered,
    signal,
    onFailedAttempt: ({ error }) => {
      if (signal.aborted) return
      const outcome = error instanceof Undelivered ? 'platform' : 'miner'
      on({ type: 'call', outcome })
    },
  }
}
