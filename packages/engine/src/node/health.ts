import { spawn } from 'node:child_process'
import type { Setup } from '../setup.ts'
import type { Metrics } from './metrics.ts'

/** An overdue event: a new block, or progress with the last block. */
export type Late = 'no-block' | 'no-progress'

/** The health of a validator. `late` returns an event that did not happen for `seconds`, if any. */
export type Health = {
  readonly on: Setup['on']
  readonly late: (seconds: number) => Late | undefined
}

/** Returns the health of a validator whose events are passed to `on`. `now` is in milliseconds. */
export function trackHealth(now: () => number): Health {
  let blockAt = now()
  /** Time of the last progress of the `head` job. Undefined if it is not running. */
  let stepAt: number | undefined
  return {
    on: (event) => {
      if (event.type === 'head') {
        blockAt = now()
        stepAt ??= blockAt
      }
      const isStep = event.type === 'read' || event.type === 'epoch'
      if (isStep && stepAt !== undefined) stepAt = now()
      if (event.type === 'ended' && event.task.kind === 'head') stepAt = undefined
    },
    late: (seconds) => {
      const due = now() - seconds * 1000
      if (blockAt < due) return 'no-block'
      return stepAt !== undefined && stepAt < due ? 'no-progress' : undefined
    },
  }
}

/**
 * Checks for an overdue event every `seconds / 10`, and at least once a minute. If there is one,
 * calls `end` with it and stops. Otherwise notifies systemd's watchdog, if systemd started this
 * process; a process whose event loop is blocked does not notify it. Checks continue until the
 * result is disposed of.
 */
export function watchHealth(
  seconds: number,
  { late }: Health,
  end: (overdue: Late) => void,
): Disposable {
  const timer = setInterval(
    () => {
      const overdue = late(seconds)
      if (overdue === undefined) return notifyWatchdog()
      clearInterval(timer)
      end(overdue)
    },
    Math.min(seconds * 100, 60_000),
  ).unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

/** Notifies systemd by its own program, because Node does not support systemd's kind of socket. */
function notifyWatchdog(): void {
  if (process.env.NOTIFY_SOCKET === undefined) return
  const telling = spawn('systemd-notify', ['WATCHDOG=1'], { stdio: 'ignore' })
  telling.on('error', () => {}).unref()
}

/**
 * Returns a handler that serves `/metrics` for Prometheus, and `/healthz`, which has status 503
 * while an event is late by `seconds`.
 */
export function healthPages(
  seconds: number,
  { late }: Health,
  { read }: Metrics,
): (request: Request) => Response | Promise<Response> {
  return ({ url }) => {
    const { pathname } = new URL(url)
    if (pathname === '/metrics') return read()
    if (pathname !== '/healthz')
      return new Response('not found: try /metrics or /healthz\n', { status: 404 })
    const overdue = late(seconds)
    return Response.json({ late: overdue ?? null }, { status: overdue ? 503 : 200 })
  }
}
