// Given to a process with `--import`, lets a test move its clock: the file that AHEAD names has the
// milliseconds by which it is ahead. Until that file is there, intervals of half a minute and more
// never come; from then on they come at once, again and again. So a test waits for no seconds, and a
// slow machine is late for none.
import { existsSync, readFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

const { AHEAD } = process.env
if (isMainThread && AHEAD) {
  const aheadMs = () => (existsSync(AHEAD) ? Number(readFileSync(AHEAD, 'utf8')) : 0)
  const now = performance.now.bind(performance)
  performance.now = () => now() + aheadMs()
  const every = globalThis.setInterval
  globalThis.setInterval = (task, ms, ...rest) => {
    if (ms < 30_000) return every(task, ms, ...rest)
    return every(() => aheadMs() > 0 && task(...rest), 20)
  }
}
