import type { Browser, Page } from 'playwright'
import { HAS_BROWSER, launch } from '../test/browser.ts'

/** Starts Chromium, or ends the benchmark if it is not installed. */
export function startBrowser(): Promise<Browser> {
  if (HAS_BROWSER) return launch()
  console.log('left out: no Chromium at /usr/bin/chromium or CHROMIUM_PATH')
  process.exit(0)
}

/** Returns the median; of an even number of values, the lower of the two in the middle. */
export function median(values: readonly number[]): number {
  const ascending = [...values].sort((a, b) => a - b)
  return ascending[(ascending.length - 1) >> 1] ?? Number.NaN
}

/**
 * Script that records the longest task of a page's main thread in milliseconds. Browsers report
 * only tasks of at least 50 ms.
 */
export const WATCH = `
  globalThis.longest = 0
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) globalThis.longest = Math.max(longest, duration)
  }).observe({ type: 'longtask', buffered: true })
`

/** Returns the longest task of a page opened with `WATCH`, or 0 if it is below 50 ms. */
export const longestTask = (page: Page): Promise<number> =>
  page.evaluate(() => Number(Reflect.get(globalThis, 'longest')))

/** An event of a browser's trace, with only the fields that are used here. */
interface TraceEvent {
  readonly name: string
  readonly pid: number
  readonly tid: number
  /** Processor time in microseconds, unaffected by other processes. */
  readonly tdur?: number
  readonly args: { readonly name?: string; readonly beginData?: { readonly url?: string } }
}

/**
 * Returns the longest task of the page's main thread while `open` runs, in milliseconds of
 * processor time. The browser's own pages are ignored.
 */
export async function longestCpuMs(
  browser: Browser,
  url: string,
  open: () => Promise<unknown>,
): Promise<number> {
  await browser.startTracing(undefined, { categories: ['toplevel', 'devtools.timeline'] })
  await open()
  const trace = JSON.parse((await browser.stopTracing()).toString())
  const events: readonly TraceEvent[] = trace.traceEvents
  const placeOf = ({ pid, tid }: TraceEvent): string => `${pid} ${tid}`
  const mains = new Set(
    events
      .filter(({ name, args }) => name === 'ParseHTML' && args.beginData?.url?.startsWith(url))
      .map((event) => placeOf(event)),
  )
  const tasks = events.filter((event) => /RunTask$/.test(event.name) && mains.has(placeOf(event)))
  return Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1000
}

/** Returns the time that the page reports, in seconds. */
export async function readShownSeconds(page: Page): Promise<number> {
  const [, took] = /in ([0-9.]+) s/.exec((await page.locator('.strip').textContent()) ?? '') ?? []
  return Number(took)
}
