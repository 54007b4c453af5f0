import { existsSync } from 'node:fs'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright'

/** Where Chromium is; the tests that need it are left out where it is not. */
export const EXECUTABLE: string = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'

export const HAS_BROWSER: boolean = existsSync(EXECUTABLE)

export const launch = (): Promise<Browser> =>
  chromium.launch({
    executablePath: EXECUTABLE,
    args: ['--no-sandbox', '--disable-gpu', '--disable-sync'],
  })

/** A page of its own, and what it said that it should not: errors, and where it asked. */
export interface Opened {
  readonly page: Page
  readonly problems: readonly string[]
  readonly asked: readonly string[]
}

/** Opens a URL, runs `script` before the page, and waits until all was recomputed or cannot be. */
export async function openPage(
  browser: Browser,
  url: string,
  { script = '', ...options }: BrowserContextOptions & { readonly script?: string } = {},
): Promise<Opened> {
  const context = await browser.newContext({ viewport: { width: 1100, height: 900 }, ...options })
  await context.addInitScript(script)
  const page = await context.newPage()
  const problems: string[] = []
  const asked: string[] = []
  page.on('pageerror', (error) => problems.push(String(error)))
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text())
  })
  context.on('request', (request) => {
    // A blob: URL names a part of the page's own memory.
    if (!request.url().startsWith('blob:')) asked.push(request.url())
  })
  await page.goto(url)
  await page.locator('.strip:not(.strip-busy)').waitFor({ timeout: 600_000 })
  return { page, problems, asked }
}

/** Goes to a view as who clicks on a link would, without reading everything anew. */
export async function goTo(page: Page, fragment: string): Promise<void> {
  await page.evaluate((hash) => {
    location.hash = hash
  }, fragment)
}
