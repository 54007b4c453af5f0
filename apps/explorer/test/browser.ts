import { existsSync } from 'node:fs'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright'

/** Path of Chromium; tests that need it are skipped without it. */
export const EXECUTABLE: string = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'

export const HAS_BROWSER: boolean = existsSync(EXECUTABLE)

export const launch = (): Promise<Browser> =>
  chromium.launch({
    executablePath: EXECUTABLE,
    args: ['--no-sandbox', '--disable-gpu', '--disable-sync'],
  })

/** A separate page, its errors and the URLs that it requested. */
export interface Opened {
  readonly page: Page
  readonly problems: readonly string[]
  readonly requests: readonly string[]
}

interface PageOptions extends BrowserContextOptions {
  readonly script?: string
  readonly network?: object
}

/**
 * Opens a URL in a new context, runs `script` before the page, and waits for the reading's end.
 * `network` replaces the site's network file.
 */
export async function openPage(
  browser: Browser,
  url: string,
  { script = '', network, ...options }: PageOptions = {},
): Promise<Opened> {
  const context = await browser.newContext({ viewport: { width: 1100, height: 900 }, ...options })
  await context.addInitScript(script)
  return openIn(await context.newPage(), url, network)
}

/**
 * Opens a URL in an open page, and waits for the end of the reading. `openPage` is slower: a new
 * context starts a process, which compiles the code of the page again.
 */
export async function openIn(page: Page, url: string, network?: object): Promise<Opened> {
  const problems: string[] = []
  const requests: string[] = []
  await page.unrouteAll()
  if (network) await page.route('**/network.json', (route) => route.fulfill({ json: network }))
  await page.goto('about:blank') // another fragment alone would not load the page
  page.on('pageerror', (error) => problems.push(String(error)))
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text())
  })
  page.context().on('request', (request) => {
    // A blob: URL is in the page's memory.
    if (!request.url().startsWith('blob:')) requests.push(request.url())
  })
  await page.goto(url)
  await page.locator('.strip:not(.strip.busy)').waitFor({ timeout: 600_000 })
  return { page, problems, requests }
}

/** Opens a view as a click on a link does, without a new reading. */
export async function goTo(page: Page, fragment: string): Promise<void> {
  await page.evaluate((hash) => {
    location.hash = hash
  }, fragment)
}
