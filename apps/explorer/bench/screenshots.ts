// Makes the pictures in docs/explorer, wide and narrow, from the files of a demo.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { launch, openPage } from '../test/browser.ts'
import { runDemo } from '../test/demo.ts'
import { VIEWS } from '../test/views.ts'

const folder = fileURLToPath(new URL('../../../docs/explorer', import.meta.url))
/** Width and maximum height in pixels, by the ending of a picture's name. */
const SIZES = { '': [1280, 1200], '-360': [360, 1600] } as const
/** The views with pictures. */
const SHOWN = ['race', 'contender', 'validators', 'game'] as const
await mkdir(folder, { recursive: true })
await using demo = await runDemo()
const browser = await launch()

for (const [suffix, [width, most]] of Object.entries(SIZES)) {
  const viewport = { width, height: 700 }
  const { page } = await openPage(browser, demo.url, { viewport, reducedMotion: 'reduce' })
  await page.locator('.strip.good').waitFor()
  for (const name of SHOWN) {
    await VIEWS[name](page)
    await page.locator('main').press('Escape') // removes the focus ring
    const height = await page.evaluate(() => document.documentElement.scrollHeight)
    const clip = { x: 0, y: 0, width, height: Math.min(most, height) }
    await page.screenshot({ path: join(folder, `${name}${suffix}.png`), fullPage: true, clip })
  }
  await page.context().close()
}
await browser.close()
