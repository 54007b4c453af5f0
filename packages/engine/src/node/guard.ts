import { Worker } from 'node:worker_threads'
import type { Health } from './health.ts'

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
 * Says what is late by so many seconds, and then ends this process once, with `end`; kills it when
 * its event loop stands still for as long.
 */
export function guard(
  seconds: number,
  { late }: Health,
  { say, end }: { readonly say: (why: string) => void; readonly end: () => void },
): void {
  const beat = new Int32Array(new SharedArrayBuffer(4))
  const everyMs = seconds * 100
  let isEnding = false
  setInterval(() => {
    Atomics.store(beat, 0, 1)
    if (isEnding) return
    const reasons = late(seconds)
    for (const why of reasons) say(why)
    isEnding = reasons.length > 0
    if (isEnding) end()
  }, everyMs).unref()
  new Worker(WATCHER, { eval: true, execArgv: [], workerData: { beat, everyMs } }).unref()
}
