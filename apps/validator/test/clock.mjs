// With `--import`, lets a test move the clock of a process: the file AHEAD contains the number of
// milliseconds by which this clock is ahead. Before that file exists, intervals of half a minute
// and more never fire; afterwards they fire every 20 ms. So no test depends on the speed of the
// machine.
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
