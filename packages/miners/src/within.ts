/**
 * Aborts when `signal` does, and after so many milliseconds. Node 20 forgets the timeout of
 * `AbortSignal.any([signal, AbortSignal.timeout(ms)])` as soon as it collects garbage, unless
 * somebody listens to it.
 */
export function within(ms: number, signal: AbortSignal): AbortSignal {
  const timeout = AbortSignal.timeout(ms)
  timeout.addEventListener('abort', () => {})
  return AbortSignal.any([signal, timeout])
}
