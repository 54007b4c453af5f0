import type { Options } from 'p-retry'
import { ChainError } from './chain-error.ts'

/** Codes of errors that another node, or a later attempt, may avoid. */
const NODE_FAILURES = new Set(['Unreachable', 'BadReply', 'StateDiscarded'])

export const isNodeFailure = (error: unknown): error is ChainError =>
  error instanceof ChainError && NODE_FAILURES.has(error.code)

/** Returns a policy that repeats a task after each node failure, with pauses of up to 15 s. */
export const createRetryPolicy = (
  signal: AbortSignal,
  onRetry: (error: Error) => void = () => {},
): Options => ({
  retries: Number.POSITIVE_INFINITY,
  signal,
  minTimeout: 200,
  maxTimeout: 15_000,
  randomize: true,
  shouldRetry: ({ error }) => isNodeFailure(error),
  onFailedAttempt: ({ error, retriesLeft }) => {
    if (isNodeFailure(error) && retriesLeft > 0 && !signal.aborted) onRetry(error)
  },
})
