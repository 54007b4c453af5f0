// Makes the pictures in docs/explorer: each view, over what a run of the demo left.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { castOf } from '../../validator/src/commands/demo/cast.ts'
import { launch, openPage } from '../test/browser.ts'
import { runDemo, SEED } from '../test/demo.ts'
import { VIEWS } from '../test/views.ts'

const folder = fileURLToPath(new URL('../../../docs/explorer', import.meta.url))
const WIDTH = 920
/** Enough to see what a view is; the rest is a matter of scrolling. */
const MOST_HEIGHT = 1000

await mkdir(folder, { recursive: true })
await using demo = await runDemo()
const browser = await launch()
const viewport = { width: WIDTH, height: 700 }
const { page } = await openPage(browser, demo.url, { viewport, reducedMotion: 'reduce' })
// As `af demo --open` has it: everybody by name.
const { validators, miners } = castOf(SEED)
const names = [...validators, ...miners].map(({ name, account }) => [account.hotkey, name])
await page.route('**/network.json', async (route) => {
  const file = await (await route.fetch()).json()
  await route.fulfill({ json: { ...file, names: Object.fromEntries(names) } })
})
await page.reload()
await page.locator('.strip-good').waitFor()

/** A picture of the page from an element on, or from its top. */
async function shoot(name: string, from?: string): Promise<void> {
  const height = await page.evaluate(() => document.documentElement.scrollHeight)
  const y =
    from === undefined
      ? 0
      : await page.locator(from).evaluate((element) => {
          return element.getBoundingClientRect().top + scrollY - 16
        })
  const clip = { x: 0, y, width: WIDTH, height: Math.min(MOST_HEIGHT, height - y) }
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true, clip })
}

for (const { name, open } of VIEWS) {
  await open(page)
  await page.locator('main').press('Escape') // no ring around what was focused
  await shoot(name)
  if (name !== 'board') continue
  await page.getByRole('button', { name: 'the beacon' }).click()
  await page.getByText(/steps fail/).waitFor()
  await shoot('proof', 'h2:text("Its proof")')
}
await browser.close()
