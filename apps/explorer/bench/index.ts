import { openPage } from '../test/browser.ts'
import { runDemo } from '../test/demo.ts'
import { VIEWS } from '../test/views.ts'
import { longestTask, median, readShownSeconds, startBrowser, WATCH } from './measure.ts'

/** Limits of the page, for the demo's run. */
const MOST_SECONDS = 5
const MOST_TASK_MS = 100
const ROUNDS = 5

const browser = await startBrowser()
await using demo = await runDemo()
const seconds: number[] = []
const longest: number[] = []
for (let round = 0; round < ROUNDS; round++) {
  const { page } = await openPage(browser, demo.url, { script: WATCH })
  seconds.push(await readShownSeconds(page))
  for (const open of Object.values(VIEWS)) await open(page)
  longest.push(await longestTask(page))
  await page.context().close()
}
await browser.close()
const [time, task] = [median(seconds), Math.max(...longest)]
console.log(`recomputed in ${time} s, the median of ${seconds.join(', ')}; at most ${MOST_SECONDS}`)
console.log(
  `longest task of the main thread, through every view: ${task} ms; at most ${MOST_TASK_MS}`,
)
if (time > MOST_SECONDS || task > MOST_TASK_MS) process.exitCode = 1
