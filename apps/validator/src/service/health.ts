import { Worker } from 'node:worker_threads'
import type { Setup } from '@affine/engine'
import { leave } from '@affine/terminal'
import type { Metrics } from './metrics.ts'

/**
 * Whether a validator makes progress. `late` lists what has not happened for this many seconds,
 * though it should have; the list is empty if all is well.
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
 * For a thread of its own: a blocked event loop can do nothing about it. Ticks are counted, so
 * sleep of the machine does no harm.
 */
const WATCHER = `
  const { beat, everyMs } = require('node:worker_threads').workerData
  let missed = 0
  setInterval(() => {
    missed = Atomics.exchange(beat, 0, 0) ? 0 : missed + 1
    if (missed !== 11) return
    const kill = () => process.kill(process.pid, 'SIGKILL')
    // Standard error may have no reader, or one that does not read.
    require('node:fs').write(2, 'af: the event loop is blocked: killed\\n', kill)
    setTimeout(kill, 1000)
  }, everyMs)`

/**
 * Ends this process with 1 once something is late by so many seconds, and says what; kills it when
 * a disk hangs even then, or its event loop stands still for as long.
 */
export function guard(seconds: number, { late }: Health, say: (why: string) => void): void {
  const beat = new Int32Array(new SharedArrayBuffer(4))
  const everyMs = seconds * 100
  let isEnding = false
  setInterval(() => {
    Atomics.store(beat, 0, 1)
    if (isEnding) return
    const reasons = late(seconds)
    for (const why of reasons) say(why)
    isEnding = reasons.length > 0
    if (isEnding) void leave(1)
  }, everyMs).unref()
  new Worker(WATCHER, { eval: true, execArgv: [], workerData: { beat, everyMs } }).unref()
}

const READS = ['GET', 'HEAD']

/**
 * `/metrics` for Prometheus, and `/healthz`, whose status is 503 while something is late by so many
 * seconds. Both are only read.
 */
export function pages(
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
