import { spawn } from 'node:child_process'
import type { Setup } from '../setup.ts'
import type { Metrics } from './metrics.ts'

/** What has not happened in time: a new block; progress with the last one. */
export type Late = 'no-block' | 'no-progress'

/** Is a validator making progress? `late` lists what has not happened for `seconds`. */
export type Health = {
  readonly on: Setup['on']
  readonly late: (seconds: number) => readonly Late[]
}

/** The health of a validator, from its events, by a clock in milliseconds. */
export function healthOf(now: () => number): Health {
  let blockAt = now()
  /** When its turn last got further; undefined while none is under way. */
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
      const reasons: Late[] = []
      if (blockAt < due) reasons.push('no-block')
      if (stepAt !== undefined && stepAt < due) reasons.push('no-progress')
      return reasons
    },
  }
}

/**
 * Looks ten times in so many seconds, and once a minute at least. When something is late by them,
 * calls `end` with it, once. Until then it tells systemd's watchdog, if that started this
 * process, that it lives: with a blocked event loop it does not. It looks until it is disposed of.
 */
export function guard(
  seconds: number,
  { late }: Health,
  end: (late: readonly Late[]) => void,
): Disposable {
  const timer = setInterval(
    () => {
      const reasons = late(seconds)
      if (reasons.length === 0) return notifyWatchdog()
      clearInterval(timer)
      end(reasons)
    },
    Math.min(seconds * 100, 60_000),
  ).unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

/** By systemd's own program: Node has no sockets of the kind on which systemd listens. */
function notifyWatchdog(): void {
  if (process.env.NOTIFY_SOCKET === undefined) return
  const telling = spawn('systemd-notify', ['WATCHDOG=1'], { stdio: 'ignore' })
  telling.on('error', () => {}).unref()
}

/** `/metrics` for Prometheus, and `/healthz`, with status 503 while something is late by `seconds`. */
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
    const reasons = late(seconds)
    const ok = reasons.length === 0
    return Response.json({ ok, reasons }, { status: ok ? 200 : 503 })
  }
}
