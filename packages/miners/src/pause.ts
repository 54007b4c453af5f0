/** Resolves after so many milliseconds. Rejects once `signal` aborts, with its reason. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (): void => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', fail)
      resolve()
    }, ms)
    signal.addEventListener('abort', fail, { once: true })
    if (signal.aborted) fail()
  })
}
