import type { Health } from './health.ts'
import type { Metrics } from './metrics.ts'

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
