import { expect, it } from 'vitest'
import { runDemo } from './demo.ts'
import { HAS_FIREFOX, startFirefox } from './firefox.ts'

if (!HAS_FIREFOX)
  console.log('no Firefox at /usr/bin/firefox-esr or FIREFOX_PATH: the page is not tested in it')

const textOf = (selector: string): string => `document.querySelector('${selector}')?.textContent`

it.runIf(HAS_FIREFOX)(
  'the page recomputes a demo in Firefox, and leads to a duel and a challenge',
  async () => {
    await using demo = await runDemo()
    await using page = await startFirefox()
    await page.open(demo.url)
    expect(await page.see(textOf('.strip-good'))).toBeTruthy()
    expect(await page.see(`document.querySelector('h1 a')?.title`)).toBe(demo.verified.champion)
    expect(await page.see(textOf('.root'))).toBe(demo.verified.root)

    await page.click('.mark-crowned a')
    expect(await page.see(textOf('main .caption'))).toMatch(/^contender, epochs \d+ to \d+$/)
    await page.click('.thumbnails a[title^="mult8@"]')
    const steps = `/All \\d+ steps are valid/.exec(document.querySelector('main').textContent)`
    expect(await page.see(steps)).toHaveLength(1)
    expect(page.problems).toEqual([])
  },
)
