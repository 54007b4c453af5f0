// Time of the page on a large subnet and on a long one, compared with `af-verify` on the same data.
import { AF_VERIFY, run } from '../../../test/processes.ts'
import { openPage } from '../test/browser.ts'
import { buildPage } from '../test/build-page.ts'
import { type History, serveHistory } from './history.ts'
import {
  longestCpuMs,
  longestTask,
  median,
  readShownSeconds,
  startBrowser,
  WATCH,
} from './measure.ts'

const ROUNDS = 3
/** Limits of the page: its time as a multiple of the time of `af-verify`, and longest task. */
const MOST_TIMES = 2
const MOST_TASK_MS = 50

const browser = await startBrowser()
await buildPage()
try {
  await measureLargeLanes()
  await measureLongHistory()
} finally {
  await browser.close()
}

/** Measures page and verifier alternately, because the speed of a machine varies. */
async function measureLargeLanes(): Promise<void> {
  await using history = await serveHistory({ validators: 64, epochs: 16 })
  const [pages, verifiers]: [number[], number[]] = [[], []]
  let requests = 0
  for (let round = 0; round < ROUNDS; round++) {
    const opened = await open(history)
    pages.push(opened.seconds)
    requests = opened.requests
    verifiers.push(await verify(history))
  }
  const [page, verifier] = [median(pages), median(verifiers)]
  console.log(
    `64 validators, 16 epochs with duels: the page ${page.toFixed(1)} s, ${requests} requests, ` +
      `af-verify --copies 1 --jobs 1 ${verifier.toFixed(1)} s, medians of ${ROUNDS}: ` +
      `${(page / verifier).toFixed(2)} times, at most ${MOST_TIMES}`,
  )
  if (page > MOST_TIMES * verifier) process.exitCode = 1
}

async function measureLongHistory(): Promise<void> {
  await using history = await serveHistory({ validators: 4, epochs: 0, empty: 1000 })
  const { seconds, shownSeconds, task: wall } = await open(history)
  const task = await longestCpuMs(browser, history.url, () => open(history))
  console.log(
    `1,000 epochs without a duel: ${seconds.toFixed(1)} s, recomputed in ${shownSeconds} s, ` +
      `af-verify ${(await verify(history)).toFixed(1)} s; longest task of the main thread ` +
      `${task.toFixed(1)} ms of a processor, at most ${MOST_TASK_MS}, and ` +
      `${wall < MOST_TASK_MS ? 'below 50' : wall} ms in all`,
  )
  if (task > MOST_TASK_MS) process.exitCode = 1
}

/** Opens the page, and closes it once it has read the history. Resolves with measurements. */
async function open({ url }: History) {
  const start = performance.now()
  const { page, requests } = await openPage(browser, url, { script: WATCH })
  const seconds = (performance.now() - start) / 1000
  const found = { seconds, requests: requests.length, task: await longestTask(page) }
  const shownSeconds = await readShownSeconds(page)
  if (!(await page.locator('.strip.good').isVisible())) throw new Error('the page reports flaws')
  await page.context().close()
  return { ...found, shownSeconds }
}

/** Runs `af-verify` in a process and returns the seconds. */
async function verify({ chain, buckets }: History): Promise<number> {
  const start = performance.now()
  const words = [buckets, '--network', chain, '--copies', '1', '--jobs', '1']
  const { code, stderr } = await run(AF_VERIFY, words)
  // Exit code 3: no problems in the copies compared.
  if (code !== 3) throw new Error(`af-verify ended with ${code}: ${stderr}`)
  return (performance.now() - start) / 1000
}
