import type { Agent } from '@affine/envs'
import type { MinerAgent } from './asking.ts'
import { NO_REPLY } from './miner-client.ts'

/** How the clocks of a game measure time. */
export interface GameTime {
  /** In milliseconds, from any point on. */
  readonly now: () => number
  /** Calls `wake` after so many milliseconds, unless what it returned is called before. */
  readonly after: (ms: number, wake: () => void) => () => void
}

/**
 * The player of one side of one game, with a clock of `ms` for all its replies together. It runs
 * from a prompt to the reply, whatever fails or waits in between. Once it has run out, or `signal`
 * has aborted, there is no reply. Protocol §5.4.
 */
export function withClock(
  agent: MinerAgent,
  { ms, now, after, signal }: GameTime & { readonly ms: number; readonly signal: AbortSignal },
): Agent {
  let left = ms
  return async (messages) => {
    const asked = now()
    const runsOut = new AbortController()
    const stop = after(left, () => runsOut.abort())
    try {
      const answer = await agent(messages, AbortSignal.any([signal, runsOut.signal]))
      left -= now() - asked
      return left < 0 ? NO_REPLY : answer
    } finally {
      stop()
    }
  }
}
