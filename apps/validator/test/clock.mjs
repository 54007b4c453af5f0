// Given to a process with `--import`, lets a test move its clock: the file that AHEAD names has the
// milliseconds by which it is ahead. Until that file is there, intervals of half a minute and more
// never come; from then on they come at once, again and again. In a thread of its own the file is
// the one that AHEAD_THREADS names. So a test waits for no seconds, and a slow machine is late for
// none.
import { syncBuiltinESMExports } from 'node:module'
import threads from 'node:worker_threads'

/** @param {string | undefined} file */
function drive(file) {
  const fs = process.getBuiltinModule('node:fs')
  const aheadMs = () => (file && fs.existsSync(file) ? Number(fs.readFileSync(file, 'utf8')) : 0)
  const now = performance.now.bind(performance)
  performance.now = () => now() + aheadMs()
  const every = globalThis.setInterval
  globalThis.setInterval = (task, ms, ...rest) => {
    if (ms < 30_000) return every(task, ms, ...rest)
    return every(() => aheadMs() > 0 && task(...rest), 20)
  }
}

const { AHEAD, AHEAD_THREADS } = process.env
if (threads.isMainThread && AHEAD) {
  drive(AHEAD)
  // A thread of its own begins without `--import`.
  const { Worker } = threads
  threads.Worker = class extends Worker {
    constructor(code, options) {
      const driven = `(${drive})(${JSON.stringify(AHEAD_THREADS)})\n${code}`
      super(options?.eval ? driven : code, options)
    }
  }
  syncBuiltinESMExports()
}
