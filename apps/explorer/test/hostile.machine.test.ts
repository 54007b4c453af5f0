import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright'
import { preview } from 'vite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Listening } from '../../../packages/node/src/listen.ts'
import { AF, killAll, start } from '../../../test/processes.ts'
import { testFolder } from '../../../test/test-folder.ts'
import { goTo, HAS_BROWSER, launch, openIn, openPage } from './browser.ts'
import { buildPage } from './build-page.ts'
import { serveFaulty } from './faulty-buckets.ts'
import { type Hostile, MARKUP, writeHostileSubnet } from './hostile-subnet.ts'

/** Elements that the page's own code never creates, so hostile text would have created them. */
const FOREIGN =
  'body script:not([src]), img:not([src="./mark.svg"]), iframe, object, embed, main b b'

const EXPLORER = fileURLToPath(new URL('..', import.meta.url))

let url: string
let hostile: Hostile
let browser: Browser
/** A page in which tests open other URLs, one after the other. */
let tab: Page

describe.runIf(HAS_BROWSER)('hostile evidence', () => {
  const root = testFolder('hostile')
  beforeAll(async () => {
    hostile = await writeHostileSubnet(root)
    await buildPage()
    const words = [join(root, 'buckets'), '--network', join(root, 'chain.json'), '--port', '0']
    const serving = start(AF, ['serve', ...words])
    const [, at = ''] = await serving.says(/ at (http:\/\/[^;]+);/)
    url = `${at}/`
    browser = await launch()
    tab = await browser.newPage({ viewport: { width: 1100, height: 900 } })
  })
  afterAll(async () => {
    await browser?.close()
    await killAll()
  })

  it('is shown as text, and causes no request', async () => {
    const { page, requests } = await openIn(tab, url)
    const isOwned = () => page.evaluate(() => 'owned' in globalThis)
    const views = [
      '#/',
      '#/validators',
      `#/hotkey/${hostile.champion.hotkey}`,
      `#/sample/${hostile.sound}/0`,
      `#/sample/${hostile.forged}/0`,
      `#/sample/${hostile.forged}/<img src=x onerror=owned=1>`,
    ]
    for (const view of views) {
      await goTo(page, view)
      await page.locator('h1').waitFor()
      expect(await page.locator(FOREIGN).count(), view).toBe(0)
    }
    await goTo(page, `#/hotkey/${hostile.champion.hotkey}`)
    await page.locator('.duels a').last().click()
    await page.locator('.thumbnails a').last().click()
    await page.getByText(/All \d+ steps are valid/).waitFor()
    const summary = page.getByText('The prompt and the whole reply').first()
    await summary.click()
    expect(await page.locator('.reply').first().textContent()).toContain(MARKUP)
    expect(await page.locator(FOREIGN).count()).toBe(0)
    expect(await isOwned()).toBe(false)
    expect(requests.filter((each) => !each.startsWith(url))).toEqual([])
  })

  it('is shown with codes for invisible characters, and with long lines wrapped', async () => {
    const { page } = await openPage(browser, url, { viewport: { width: 360, height: 740 } })
    const text = await page.locator('main').textContent()
    expect(text).toContain('⟨U+202E⟩')
    expect(text).toContain('⟨U+001B⟩')
    expect(text).not.toMatch(/[\p{Cc}\p{Cf}]/u)
    await goTo(page, `#/sample/${hostile.sound}/0`)
    await page.getByText(/All \d+ steps are valid/).waitFor()
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    expect(wide).toBeLessThanOrEqual(0)
  })

  it('is not shown if its lane is void', async () => {
    const { page } = await openIn(tab, url)
    expect(await page.locator('.strip.warn').textContent()).toContain('Faulty or missing data: ')
    await goTo(page, '#/validators')
    await page.getByText('PROMPT_DIFFERS').first().waitFor()
    await goTo(page, `#/sample/${hostile.forged}/0`)
    await page.getByText('no valid lane that was read contains this block').waitFor()
  })

  it('is shown and proved for a game that was never begun', async () => {
    const { page } = await openIn(tab, url)
    await goTo(page, `#/sample/${hostile.sound}/${hostile.unbegun}`)
    await page.getByText(/✔ All \d+ steps are valid/).waitFor()
    const game = page.locator('section', { has: page.getByRole('heading', { name: 'The game' }) })
    expect(await game.textContent()).toBe('The gamethe game was never begun')
    expect(await page.locator('h1').textContent()).toBe('A tie')
  })

  describe.each(['af serve', 'a static host without headers'] as const)(
    'the policy of the page, served by %s',
    (host) => {
      let page: Page
      let pageUrl: string
      let data: Listening
      /** An address that the policy does not list, and its number of connections. */
      let unlisted: string
      let connections = 0
      const stops: (() => unknown)[] = []
      beforeAll(async () => {
        pageUrl = url
        if (host !== 'af serve') {
          const server = await preview({ root: EXPLORER, logLevel: 'error' })
          stops.push(() => server.close())
          pageUrl = server.resolvedUrls?.local[0] ?? ''
        }
        const { headers } = await fetch(pageUrl)
        expect(headers.has('content-security-policy')).toBe(host === 'af serve')
        data = await serveFaulty(root, {})
        stops.push(() => data[Symbol.dispose]())
        const server = createServer((_, response) => response.end())
        server.on('connection', () => connections++)
        stops.push(() => server.close())
        await once(server.listen(0, '127.0.0.2'), 'listening')
        unlisted = `http://127.0.0.2:${(server.address() as AddressInfo).port}/`
        const network = { chain: `${data.url}/chain.json`, buckets: `${data.url}/buckets` }
        page = (await openPage(browser, pageUrl, { network })).page
      })
      afterAll(() => Promise.all(stops.map((stop) => stop())))

      it('evaluates nothing and connects to no unlisted address, in the worker too', async () => {
        const refused = { eval: false, Function: false, fetch: false, WebSocket: false }
        const want = { ...refused, WebAssembly: true }
        expect(await page.evaluate(attempts, unlisted)).toEqual(want)
        expect(await page.workers()[0]?.evaluate(attempts, unlisted)).toEqual(want)
        expect(connections).toBe(0)
      })

      it('runs no inline script', async () => {
        const isRun = await page.evaluate(() => {
          const script = document.createElement('script')
          script.textContent = 'globalThis.inline = 1'
          document.body.append(script)
          return 'inline' in globalThis
        })
        expect(isRun).toBe(false)
      })

      it('connects to no unlisted address that a network file names', async () => {
        const places = [`${unlisted}chain.json`, unlisted, unlisted.replace('http', 'ws')]
        const files = places.map((chain) => ({ chain, netuid: 1, firstEpoch: 0 }))
        for (const file of [...files, { chain: `${data.url}/chain.json`, buckets: unlisted }]) {
          const { page: refused } = await openIn(tab, pageUrl, file)
          expect(await refused.locator('.strip.bad').textContent()).toMatch(
            /^"(?:chain|buckets)" expected .* got "\w+:\/\/127\.0\.0\.2/,
          )
        }
        expect(connections).toBe(0)
      })
    },
  )
})

/** Reports for each attempt whether the policy allows it in the page or worker that runs this. */
async function attempts(unlisted: string): Promise<Record<string, boolean>> {
  // In the first task `eval` is allowed, for debuggers, so the attempts are in a second task.
  await new Promise((resolve) => setTimeout(resolve))
  const socket = (): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const opening = new WebSocket(unlisted.replace('http', 'ws'))
      opening.addEventListener('open', resolve)
      opening.addEventListener('error', reject)
    })
  const tried = {
    // biome-ignore lint/security/noGlobalEval: the policy must refuse it.
    eval: async () => globalThis.eval('1'),
    Function: async () => new Function('return 1')(),
    fetch: () => fetch(unlisted, { mode: 'no-cors' }),
    WebSocket: socket,
    WebAssembly: () => WebAssembly.compile(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0)),
  }
  const found = Object.entries(tried).map(async ([name, attempt]) => {
    const isAllowed = await attempt().then(
      () => true,
      () => false,
    )
    return [name, isAllowed] as const
  })
  return Object.fromEntries(await Promise.all(found))
}
