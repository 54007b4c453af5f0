import { spawn } from 'node:child_process'
import type { Setup } from '../setup.ts'
import type { Metrics } from './metrics.ts'

/**
 * Is a validator making progress? `late` names what should have happened and did not, for so many
 * seconds; it is empty if nothing is late.
 */
export type Health = {
  readonly on: Setup['on']
  readonly late: (seconds: number) => readonly string[]
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
      if (event.type === 'ended' && event.what === 'turn') stepAt = undefined
    },
    late: (seconds) => {
      const due = now() - seconds * 1000
      const reasons: string[] = []
      if (blockAt < due) reasons.push(`no block came in ${seconds} s`)
      if (stepAt !== undefined && stepAt < due) reasons.push(`it made no progress in ${seconds} s`)
      return reasons
    },
  }
}

/**
 * Looks ten times in so many seconds, and once a minute at least. When something is late by them,
 * says what, and calls `end` once. Until then it tells systemd's watchdog, if that started this
 * process, that it lives: with a blocked event loop it does not. It looks until it is disposed of.
 */
export function guard(
  seconds: number,
  { late }: Health,
  { say, end }: { readonly say: (why: string) => void; readonly end: () => void },
): Disposable {
  const timer = setInterval(
    () => {
      const reasons = late(seconds)
      if (reasons.length === 0) return tellWatchdog()
      clearInterval(timer)
      say(reasons.join(', and '))
      end()
    },
    Math.min(seconds * 100, 60_000),
  ).unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

/** By systemd's own program: Node has no sockets of the kind on which systemd listens. */
function tellWatchdog(): void {
  if (process.env.NOTIFY_SOCKET === undefined) return
  const telling = spawn('systemd-notify', ['WATCHDOG=1'], { stdio: 'ignore' })
  telling.on('error', () => {}).unref()
}

const READS = ['GET', 'HEAD']

/**
 * `/metrics` for Prometheus, and `/healthz`, whose status is 503 while something is late by so many
 * seconds. Both are only read.
 */
export function healthPages(
  seconds: number,
  { late }: Health,
  { read }: Metrics,
): (request: Request) => Promise<Response> {
  return async ({ method, url }) => {
    if (!READS.includes(method)) {
      const headers = { allow: READS.join(', ') }
      return new Response('read-only\n', { status: 405, headers })
    }
    const { pathname } = new URL(url)
    if (pathname === '/healthz') return healthPage(late(seconds))
    if (pathname === '/metrics') return read()
    return new Response('not found: try /metrics or /healthz\n', { status: 404 })
  }
}

function healthPage(reasons: readonly string[]): Response {
  const ok = reasons.length === 0
  return Response.json({ ok, reasons }, { status: ok ? 200 : 503 })
}
