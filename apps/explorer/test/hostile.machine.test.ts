import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AF, killAll, type Started, start } from '../../../test/processes.ts'
import { goTo, HAS_BROWSER, launch, openPage } from './browser.ts'
import { buildPage } from './build-page.ts'
import { type Hostile, HostileSubnet, MARKUP } from './hostile-subnet.ts'

/** Parts of a document that only the page's own code would make. */
const FOREIGN = 'body script:not([src]), img:not([src="mark.svg"]), iframe, object, embed, main b b'

let root: string
let url: string
let hostile: Hostile
let serving: Started
let browser: Browser

describe.runIf(HAS_BROWSER)('hostile evidence', () => {
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'hostile-'))
    await mkdir(join(root, 'buckets'))
    hostile = await new HostileSubnet(root).write()
    await buildPage()
    const words = [join(root, 'buckets'), '--network', join(root, 'chain.json'), '--port', '0']
    serving = start(AF, ['serve', ...words])
    const [, at = ''] = await serving.says(/ at (http:\/\/[^;]+);/)
    url = `${at}/`
    browser = await launch()
  })
  afterAll(async () => {
    await browser?.close()
    await serving?.stop()
    await killAll()
    await rm(root, { recursive: true })
  })

  it('is text wherever it is shown, and asks nobody for anything', async () => {
    const { page, asked } = await openPage(browser, url)
    const isOwned = () => page.evaluate(() => 'owned' in globalThis)
    const views = [
      '#/',
      '#/validators',
      `#/miner/${hostile.champion}`,
      `#/sample/${hostile.sound}/0`,
      `#/sample/${hostile.forged}/0`,
      `#/sample/${hostile.forged}/<img src=x onerror=owned=1>`,
    ]
    for (const view of views) {
      await goTo(page, view)
      await page.locator('h1').waitFor()
      expect(await page.locator(FOREIGN).count(), view).toBe(0)
    }
    await goTo(page, `#/miner/${hostile.champion}`)
    await page.locator('.duels a').last().click()
    await page.locator('.thumbnails a').last().click()
    await page.getByText(/All \d+ steps hold/).waitFor()
    const summary = page.getByText('The prompt and the whole reply').first()
    await summary.click()
    expect(await page.locator('.reply').first().textContent()).toContain(MARKUP)
    expect(await page.locator(FOREIGN).count()).toBe(0)
    expect(await isOwned()).toBe(false)
    expect(asked.filter((each) => !each.startsWith(url))).toEqual([])
  })

  it('shows what does not show, and keeps long lines within the window', async () => {
    const { page } = await openPage(browser, url, { viewport: { width: 360, height: 740 } })
    const text = await page.locator('main').textContent()
    expect(text).toContain('⟨U+202E⟩')
    expect(text).toContain('⟨U+001B⟩')
    expect(text).not.toMatch(/[\p{Cc}\p{Cf}]/u)
    await goTo(page, `#/sample/${hostile.sound}/0`)
    await page.getByText(/All \d+ steps hold/).waitFor()
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    expect(wide).toBeLessThanOrEqual(0)
  })

  it('shows no sample of a lane that is void, whose champion’s replies may be forged', async () => {
    const { page } = await openPage(browser, url)
    await goTo(page, '#/validators')
    await page
      .getByText(/WRONG_|MALFORMED|REPLAY/)
      .first()
      .waitFor()
    await goTo(page, `#/sample/${hostile.forged}/0`)
    await page.getByText('no valid lane that was read has this block').waitFor()
  })

  it('a game that was never begun says so, and its proof holds', async () => {
    const { page } = await openPage(browser, url)
    await goTo(page, `#/sample/${hostile.sound}/${hostile.unbegun}`)
    await page.getByText(/✔ All \d+ steps hold/).waitFor()
    const game = page.locator('section', { has: page.getByRole('heading', { name: 'The game' }) })
    expect(await game.textContent()).toBe('The gameReward -1: the game was never begun')
    expect(await page.locator('h1').textContent()).toBe('A tie')
    await page.getByText(/^Its proof/).click()
    await page.locator('.step', { hasText: 'Seed → prompt' }).locator('summary').click()
    await page.getByText('The game was never begun: nobody was asked this.').waitFor()
  })

  it('has nothing run that the page does not bring, by its policy', async () => {
    const { page } = await openPage(browser, url)
    const ran = await page.evaluate(async () => {
      const script = document.createElement('script')
      script.textContent = 'globalThis.inline = 1'
      document.body.append(script)
      // In a task of its own: what a debugger runs at once may evaluate.
      const evaluated = await new Promise((resolve) =>
        setTimeout(() => {
          try {
            resolve(new Function('return 1')())
          } catch {
            resolve('refused')
          }
        }),
      )
      return { inline: 'inline' in globalThis, evaluated }
    })
    expect(ran).toEqual({ inline: false, evaluated: 'refused' })
  })
})
