import { Worker } from 'node:worker_threads'
import type { Health } from './health.ts'

/**
 * Runs in a thread of its own, which a blocked event loop cannot stop. It counts ticks, not time:
 * after a sleep of the machine the event loop is not taken for a blocked one.
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
 * When something is late by so many seconds, says what, and calls `end` once. Kills the process if
 * its event loop is blocked for as long.
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
