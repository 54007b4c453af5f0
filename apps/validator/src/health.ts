import { Worker } from 'node:worker_threads'
import type { Metrics } from './metrics.ts'
import type { Setup } from './setup.ts'

/**
 * Is a validator getting on? `late` says what has not come for so many seconds, though it should
 * have: nothing, if it is.
 */
export type Health = {
  readonly on: Setup['on']
  readonly late: (seconds: number) => readonly string[]
}

/** The health of a validator, from its events, by a clock in milliseconds. */
export function healthOf(now: () => number): Health {
  let block = now()
  let step: number | undefined
  return {
    on: (event) => {
      if (event.type === 'head') [block, step] = [now(), step ?? now()]
      if (event.type === 'read' || event.type === 'epoch') step &&= now()
      if (event.type === 'ended' && event.what === 'turn') step = undefined
    },
    late: (seconds) => {
      const waits = Object.entries({
        'no block came': block,
        'its turn came no further': step ?? now(),
      })
      const due = now() - seconds * 1000
      return waits.flatMap(([what, from]) => (from < due ? [`${what} in ${seconds} s`] : []))
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
    if (missed <= 10) return
    require('node:fs').writeSync(2, 'af: the event loop is blocked: killed\\n')
    process.kill(process.pid, 'SIGKILL')
  }, everyMs)`

/**
 * Ends this process with 1 once something is late by so many seconds, and says what; kills it when
 * its event loop stands still for as long.
 */
export function guard(seconds: number, { late }: Health, say: (why: string) => void): void {
  const [beat, everyMs] = [new Int32Array(new SharedArrayBuffer(4)), seconds * 100]
  setInterval(() => {
    Atomics.store(beat, 0, 1)
    for (const why of late(seconds)) say(why)
    if (late(seconds).length > 0) process.exit(1)
  }, everyMs).unref()
  new Worker(WATCHER, { eval: true, execArgv: [], workerData: { beat, everyMs } }).unref()
}

/**
 * `/metrics` for Prometheus, and `/healthz`, whose status is 503 while something is late by so many
 * seconds.
 */
export function pages(
  seconds: number,
  { late }: Health,
  { read }: Metrics,
): (request: Request) => Promise<Response> {
  return async ({ url }) => {
    const { pathname } = new URL(url)
    const reasons = late(seconds)
    if (pathname === '/healthz')
      return Response.json({ ok: !reasons[0], reasons }, { status: reasons[0] ? 503 : 200 })
    return pathname === '/metrics'
      ? read()
      : new Response('there are /metrics and /healthz\n', { status: 404 })
  }
}
