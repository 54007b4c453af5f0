import type { Output } from '@affine/terminal'

/**
 * What shows progress in a terminal. When `signal` aborts, what `stopped` returns takes its place,
 * and stays: how far it got, and how it goes on.
 */
export function progress(
  screen: Output,
  signal: AbortSignal,
  stopped: () => string,
): (text: string) => void {
  signal.addEventListener('abort', () => screen.status(`${stopped()}\n`), { once: true })
  return (text) => {
    if (!signal.aborted) screen.status(text)
  }
}
