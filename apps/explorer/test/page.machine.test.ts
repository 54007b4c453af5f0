import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { LocalChain, serveLocal } from '@affine/chain'
import type { Browser, Page } from 'playwright'
import { launch as launchFirefox } from 'puppeteer-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fakeNode } from '../../../packages/chain/test/fake-node.ts'
import { listen } from '../../../packages/node/src/listen.ts'
import { AF_VERIFY, run } from '../../../test/processes.ts'
import { goTo, HAS_BROWSER, launch, type Opened, openIn, openPage } from './browser.ts'
import { type Demo, runDemo } from './demo.ts'
import { serveFaulty } from './faulty-buckets.ts'
import { VIEWS } from './views.ts'

const PYTHON = process.env.TEST_PYTHON ?? 'python3'
const PYTHON_CODE = fileURLToPath(new URL('../../../python/src', import.meta.url))
/** Whether affine-verify and the packages that it needs are installed. */
const HAS_VERIFIER =
  spawnSync(PYTHON, ['-c', 'import affine_verify.main'], { cwd: PYTHON_CODE }).status === 0
const dist = fileURLToPath(new URL('../dist', import.meta.url))
let demo: Demo
let browser: Browser
/** Pages, 1100 and 360 px wide, that tests share because each new page recomputes the demo. */
let wide: Opened
let narrow: Opened
/** A page in which tests open other URLs, one after the other. */
let tab: Page
/** Requests of the wide page until the end of its reading. */
let firstAsked: readonly string[]
/** Source of `axe-core`. Playwright evaluates it, because the page's policy blocks its script. */
let axe: string

/** Returns the violations that axe finds, by rule and first element. */
async function violationsOf(page: Page): Promise<readonly string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe)
  return page.evaluate(async () => {
    const { violations } = await (
      globalThis as never as { axe: typeof import('axe-core') }
    ).axe.run()
    return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)
  })
}

/** Returns the height of the page and its overflow in pixels, and its number of moving elements. */
const measure = (page: Page) =>
  page.evaluate(() => {
    const { scrollWidth, scrollHeight: height } = document.documentElement
    const isMoving = (element: Element): boolean => {
      const { transitionDuration, animationName } = getComputedStyle(element)
      return transitionDuration !== '0s' || animationName !== 'none'
    }
    const moving = [...document.querySelectorAll('*')].filter(isMoving).length
    return { height, wider: scrollWidth - innerWidth, moving }
  })

const VIEWS_OF_ALL = ['#/', '#/validators', '#/miners', '#/nowhere']

/** Maximum height of a view in pixels; half of it for the wide view `decided`. */
const MOST_HEIGHT = 7500

/**
 * Returns the texts of a view, except the table of buckets: on a slow machine, a second bucket is
 * queried for some files.
 */
async function contentOf(page: Page): Promise<string> {
  const parts = page.locator('main > :not([aria-label="Buckets"])')
  return (await parts.allTextContents()).join('\n')
}

/** Opens each view. Returns its URL, title, heading and problems. */
async function visitsOf(page: Page, colorScheme: 'light' | 'dark') {
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
  const visits = []
  for (const [name, open] of Object.entries(VIEWS)) {
    await open(page)
    const [url, title] = [page.url(), await page.title()]
    const heading = await page.locator('h1').textContent()
    const violations = await violationsOf(page)
    visits.push({ name, url, title, heading, violations, ...(await measure(page)) })
  }
  await page.emulateMedia({ colorScheme: null, reducedMotion: null })
  return visits
}

/** Opens the page with the files of the demo on another server. */
const openFrom = ({ url }: { readonly url: string }): Promise<Opened> =>
  openIn(tab, demo.url, { chain: `${url}/chain.json`, buckets: `${url}/buckets` })

/** Opens the race in the shared wide page. */
async function race(): Promise<Page> {
  await goTo(wide.page, '#/')
  return wide.page
}

/** Path of Firefox; the test that needs it is skipped without it. */
const FIREFOX = process.env.FIREFOX_PATH ?? '/usr/bin/firefox-esr'
const HAS_FIREFOX = existsSync(FIREFOX)
if (!HAS_FIREFOX)
  console.log('no Firefox at /usr/bin/firefox-esr or FIREFOX_PATH: the page is not tested in it')

describe.runIf(HAS_BROWSER)('the page of af demo --open', () => {
  beforeAll(async () => {
    axe = await readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')
    demo = await runDemo()
    browser = await launch()
    wide = await openPage(browser, demo.url)
    firstAsked = [...wide.requests]
    tab = await browser.newPage({ viewport: { width: 1100, height: 900 } })
    narrow = await openPage(browser, demo.url, { viewport: { width: 360, height: 740 } })
  })
  afterAll(async () => {
    await browser?.close()
    await demo?.[Symbol.asyncDispose]()
  })

  it('computes the champion and root of af-verify, and the share of the README', async () => {
    const page = await race()
    await page.locator('.strip.good').waitFor()
    expect(demo.verified).toMatchObject({ flaws: 0, conclusion: 'HOLDS' })
    expect(await page.locator('h1').textContent()).toBe('stronger has the throne')
    expect(await page.locator('nav a[aria-current="page"]').allTextContents()).toEqual(['Race'])
    expect(await page.locator('.about').textContent()).toBe(
      'AI models compete at Hex, the multiplication of 8-digit numbers (mult8), the packing of ' +
        'rectangles (pack) and tic-tac-toe: a model that clearly beats the champion takes its throne.',
    )
    expect(await page.locator('h1 a').getAttribute('title')).toBe(demo.verified.champion)
    expect(await page.locator('.root').textContent()).toBe(demo.verified.root)
    const readme = await readFile(new URL('../../../README.md', import.meta.url), 'utf8')
    const [, won] = / won (\S+ % of the \d+ challenges .*); .* were needed/.exec(readme) ?? []
    expect(await page.locator('main').textContent()).toContain(`it won ${won}, clearly`)
    expect(wide.problems).toEqual([])
    expect(firstAsked.filter((url) => !url.startsWith(demo.url))).toEqual([])
  })

  it('reads each block once, and states that copies were not compared; reads the newest states', async () => {
    const page = await race()
    const read = (pattern: RegExp) => firstAsked.flatMap((url) => url.match(pattern) ?? [])
    const blocks = read(/v1\/blocks\/\w+/)
    expect(blocks.length).toBeGreaterThan(4)
    expect(new Set(blocks).size).toBe(blocks.length)
    expect(read(/states\/\d+/)).toEqual(Array(5).fill('states/5'))
    expect(await page.locator('.strip.good').textContent()).toMatch(
      /^✔ 6 epochs recomputed in [\d.]+ s\. Every result is valid\. Copies were not compared; af-verify compares them\. Last block: 181, 36 min after the chain began; next decision in 28 blocks, about 6 min\.$/,
    )
  })

  it('shows the subject of a view without scrolling at 360 pixels', async () => {
    const { page } = narrow
    const topOf = async (text: RegExp) => (await page.getByText(text).first().boundingBox())?.y
    expect(await topOf(/has the throne/)).toBeLessThan(250)
    expect(await topOf(/^How sure/)).toBeLessThan(740)
    await goTo(page, '#/validators')
    await page.locator('.lanes').nth(3).waitFor()
    expect((await page.locator('.lanes').first().boundingBox())?.y).toBeLessThan(740)
  })

  it('restores the scroll position on Back', async () => {
    const { page } = narrow
    await goTo(page, '#/')
    await page.locator('.mark-crowned a').click()
    const top = page.getByText('How this was decided')
    await top.waitFor()
    const challenge = page.locator('.thumbnails a[title^="hex@"]').last()
    await page.locator('.thumbnails .picture').nth(7).waitFor()
    await challenge.scrollIntoViewIfNeeded()
    const depth = (): Promise<number> => page.evaluate(() => scrollY)
    // The position is stored at the click, because Playwright may scroll before it clicks.
    await page.evaluate(() =>
      addEventListener('click', () => sessionStorage.setItem('left', `${scrollY}`), true),
    )
    await challenge.click()
    const left = Number(await page.evaluate(() => sessionStorage.getItem('left')))
    expect(left).toBeGreaterThan(300)
    await page.getByText(/All \d+ steps are valid/).waitFor()
    await expect.poll(depth).toBe(0)
    await page.goBack()
    await top.waitFor()
    await expect.poll(depth).toBe(left)
  })

  describe('each view', () => {
    let visits: Record<'wide' | 'narrow', Awaited<ReturnType<typeof visitsOf>>>
    beforeAll(async () => {
      const [light, dark] = [visitsOf(wide.page, 'light'), visitsOf(narrow.page, 'dark')]
      visits = { wide: await light, narrow: await dark }
    })

    it.each([
      ['wide and light', 'wide'],
      ['360 px wide and dark', 'narrow'],
    ] as const)(
      '%s, fits the width and the maximum height, does not move, and passes axe',
      (_, size) => {
        const faulty = visits[size].filter(({ name, violations, wider, height, moving }) => {
          const most = size === 'wide' && name === 'decided' ? MOST_HEIGHT / 2 : MOST_HEIGHT
          return violations.length > 0 || wider > 0 || height > most || moving > 0
        })
        expect(visits[size].map(({ name }) => name)).toEqual(Object.keys(VIEWS))
        expect(faulty).toEqual([])
        expect({ wide, narrow }[size].problems).toEqual([])
      },
    )

    it('has a URL and a title, and shows the same content when opened by its URL', async () => {
      const linked = visits.wide.filter(({ name }) => !/^(decided|proof|proof file)$/.test(name))
      for (const { title, heading } of linked)
        expect(title).toMatch(new RegExp(`^${heading}(, .*)? · Affine explorer$`))
      expect(new Set(linked.map(({ title }) => title)).size).toBe(linked.length)
      // The challenges of all environments have one view.
      const different = linked.filter(({ name }) => !/^(multiplication|game|packing)$/.test(name))
      for (const { name, url, title } of different) {
        await openIn(tab, url)
        await goTo(wide.page, new URL(url).hash)
        // Both are read again, because a chart renders again once its width is known.
        const isSame = async () => (await contentOf(tab)) === (await contentOf(wide.page))
        await expect.poll(isSame, { message: name }).toBe(true)
        expect(await tab.title()).toBe(title)
      }
    })
  })

  it('shows a text before its code is loaded, and loads its views separately', async () => {
    const read = (path: string) => readFile(join(dist, path), 'utf8')
    const html = await read('index.html')
    expect(html).toContain('Loading the page’s code…')
    const loaded = [/src="\.\/(assets\/[^"]+\.js)"/.exec(html)?.[1] ?? '']
    for (const path of loaded)
      for (const [, name] of (await read(path)).matchAll(/(?:from|import)"\.\/([^"]+\.js)"/g))
        if (!loaded.includes(`assets/${name}`)) loaded.push(`assets/${name}`)
    const code = (await Promise.all(loaded.map(read))).join('')
    // These texts occur in Preact and in a view.
    for (const part of ['createElementNS', 'Champions, latest first'])
      expect(code).not.toContain(part)
    expect(code).toMatch(/import\(`\.\/app-/)
  })

  it('adds a missing slash to the path of its URL, and keeps the query and the view', async () => {
    using server = await listen((request) => {
      const { pathname } = new URL(request.url)
      const path = /^\/affine(?:$|(\/.*))/.exec(pathname)
      if (path === null) return new Response('', { status: 404 })
      const headers = { 'accept-encoding': 'identity' }
      return fetch(new URL(path[1] ?? '/', demo.url), { headers })
    }, 0)
    const { page } = await openIn(tab, `${server.url}/affine?last=3#/rule`)
    expect(page.url()).toBe(`${server.url}/affine/?last=3#/rule`)
    await page.locator('.strip.good').waitFor()
  })

  it.each(['index', 'app'])('reports that its code, here %s, cannot be loaded', async (part) => {
    const page = await browser.newPage()
    await page.route(`**/assets/${part}-*.js`, (route) => route.fulfill({ status: 404 }))
    await page.goto(demo.url)
    await page
      .getByText('The page’s code cannot be loaded: check that its whole folder is here.')
      .waitFor()
  })

  it('can be operated by keyboard, from the race to a board and its proof', async () => {
    const { page } = await openIn(tab, demo.url)
    const press = async (name: RegExp): Promise<void> => {
      for (let i = 0; i < 200; i++) {
        await page.keyboard.press('Tab')
        const focused = await page.evaluate(() => {
          const { activeElement: it } = document
          return `${it?.getAttribute('aria-label') || it?.getAttribute('title') || it?.textContent}`
        })
        if (!name.test(focused)) continue
        await page.keyboard.press('Enter')
        return
      }
      throw new Error(`nothing named ${name} is reached by the keyboard`)
    }
    await press(/ took the throne$/)
    await page.getByText('How this was decided').waitFor()
    // The focus moves after the view is shown.
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('MAIN')
    await press(/^tictactoe@0.1.0 #/)
    await page.getByText(/All \d+ steps are valid/).waitFor()
    await press(/^Its proof: /)
  })

  it('explains a term when it is pressed', async () => {
    const { page } = wide
    await goTo(page, '#/proof')
    await page.getByRole('button', { name: 'seal' }).click()
    await page.getByText(/^seal: .* The protocol, section/).waitFor()
    await page.keyboard.press('Escape')
    await page.getByText(/^seal: .* The protocol, section/).waitFor({ state: 'hidden' })
  })

  it('shows the liar far from the other validators', async () => {
    const { page } = wide
    await VIEWS.validators(page)
    const liars = await page.locator('.lanes text.bad').allTextContents()
    expect(liars.length).toBeGreaterThanOrEqual(3)
    for (const text of liars) expect(text).toMatch(/^mallory: 0 %, 0 of \d+ won$/)
    const left = (await page.locator('.lane.aside').first().boundingBox())?.x ?? Infinity
    const others = await page
      .locator('.lane:not(.aside)')
      .evaluateAll((lanes) => lanes.map((lane) => lane.getBoundingClientRect().x))
    expect(others.filter((x) => x > left + 200).length).toBeGreaterThanOrEqual(12)
  })

  it('opens a lost board at the deciding move, next to the reason', async () => {
    const { page } = wide
    await VIEWS.board(page)
    const less = /^(lost to the line|drawn|forfeited): /
    const lost = page.locator('section.card', { has: page.getByText(less) }).first()
    expect(await lost.locator('.picture .mistake').count()).toBe(1)
    const [board, why] = await Promise.all(
      [lost.locator('.picture').first(), lost.getByText(less)].map((each) => each.boundingBox()),
    )
    expect(why?.x).toBeGreaterThan((board?.x ?? 0) + (board?.width ?? 0) - 1)
  })

  it('steps through a game, and marks the winning chain on the last board', async () => {
    const { page } = wide
    await VIEWS.game(page)
    const game = page.locator('section', { has: page.getByRole('heading', { name: 'The game' }) })
    const next = game.getByRole('button', { name: 'next' })
    const before = game.getByRole('button', { name: 'previous' })
    while (await before.isEnabled()) await before.click()
    expect(await game.locator('.marked').count()).toBe(0)
    while (await next.isEnabled()) await next.click()
    await game.getByText('the last position').waitFor()
    const ending = (await game.textContent()) ?? ''
    const isJoined = / joined (row|column) /.test(ending)
    expect((await game.locator('.marked').count()) >= 7).toBe(isJoined)
  })

  it('saves a proof that all three programs accept, and reject with one byte changed', async () => {
    const { page } = wide
    await VIEWS.game(page)
    await page.getByText(/^Its proof: /).click()
    const saving = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Save the proof' }).click()
    const saved = await saving
    expect(saved.suggestedFilename()).toMatch(/^proof-hex@0\.1\.0-\d+-epoch-\d+\.json$/)
    const path = join(demo.out, 'proof.json')
    await saved.saveAs(path)
    const bytes = await readFile(path)
    const words = ['proof', path, '--network', join(demo.out, 'chain.json')]
    await goTo(page, '#/proof')
    /** Returns the verdicts of af-verify, of affine-verify if it can run, and of the page. */
    const verdicts = async (buffer: Buffer, name: string) => {
      await writeFile(path, buffer)
      const { code } = await run(AF_VERIFY, words)
      const python = spawnSync(PYTHON, ['-m', 'affine_verify.main', ...words], { cwd: PYTHON_CODE })
      const file = { name, mimeType: 'application/json', buffer }
      await page.getByLabel('Proof file').setInputFiles(file)
      const verdict = page.locator('h2', { hasText: new RegExp(`^${name}: [✔✘]`) })
      const text = (await verdict.textContent()) ?? ''
      return [code, HAS_VERIFIER ? python.status : code, text.includes('✔') ? 0 : 1]
    }
    expect(await verdicts(bytes, 'unchanged')).toEqual([0, 0, 0])
    const link = page.getByRole('link', { name: 'See this challenge' })
    expect(await link.getAttribute('href')).toMatch(/^#\/sample\/[0-9a-f]{64}\/\d+$/)
    const at = bytes.indexOf('epoch') + 9
    const altered = Buffer.from(bytes.map((byte, i) => (i === at ? byte ^ 1 : byte)))
    expect(await verdicts(altered, 'altered')).toEqual([1, 1, 1])
  })

  it('checks a dropped file on any view, and refuses a file that is too large', async () => {
    const page = await race()
    const dropped = await page.evaluateHandle(() => {
      const transfer = new DataTransfer()
      transfer.items.add(new File(['9'.repeat(3_000_000)], 'large\u202e.json'))
      return transfer
    })
    await page.dispatchEvent('main', 'drop', { dataTransfer: dropped })
    await page.getByText('large⟨U+202E⟩.json: ✘ 1 of 1 steps fail.').waitFor()
    await page.getByText('expected at most 2097152 bytes, got 2097153').waitFor()
  })

  it('states that it begins with an attested state if `last` is given', async () => {
    const { page } = await openIn(tab, demo.url, { chain: 'chain.json', buckets: './', last: 3 })
    expect(await page.locator('.root').textContent()).toBe(demo.verified.root)
    expect(await page.locator('.strip').textContent()).toMatch(
      /, from the attested state of epoch \d/,
    )
  })

  it('names the network, its chain and its buckets on every view, whatever its link says', async () => {
    using server = await serveFaulty(demo.out, {})
    const { page } = await openIn(tab, `${demo.url}?chain=${server.url}/chain.json`)
    for (const view of VIEWS_OF_ALL) {
      await goTo(page, view)
      const source = (await page.locator('.source').textContent()) ?? ''
      for (const part of ['chain.json', '']) expect(source).toContain(`${demo.url}${part}`)
      expect(source).toMatch(/netuid 120, genesis [0-9a-f]{64}/)
    }
  })

  it('gives the reason, and shows no ✔ on any view, if nothing can be recomputed', async () => {
    const nim = { specHash: 'ab'.repeat(32), players: 2, quotaFirst: 8, quotaMost: 64 }
    const envs = { 'nim@0.1.0': nim }
    const chain = LocalChain.create({ netuid: 120, random: () => new Uint8Array(32), envs })
    using server = await listen(serveLocal(chain, 10), 0)
    const late = 'the first epoch to recompute is 4000000, and the chain was in epoch 6\\.'
    const cases = [
      [
        { chain: 'chain.json', buckets: './', firstEpoch: 4_000_000 },
        `Nothing was recomputed yet: ${late}`,
      ],
      [
        { chain: `${server.url}/` },
        'Reading stopped: the network plays nim@0.1.0 .* cannot be replayed',
      ],
    ] as const
    for (const [network, reason] of cases) {
      const { page } = await openIn(tab, demo.url, network)
      expect(await page.locator('.strip').textContent()).toMatch(new RegExp(`^${reason}`))
      for (const view of VIEWS_OF_ALL) {
        await goTo(page, view)
        expect(await page.locator('body').textContent(), view).not.toContain('✔')
      }
    }
  })

  it('reports the epoch whose lanes are unavailable', async () => {
    const hotkeys = await readdir(join(demo.out, 'buckets'))
    const faults = Object.fromEntries(hotkeys.map((hotkey) => [hotkey, 'missing' as const]))
    using server = await serveFaulty(demo.out, faults)
    const { page } = await openFrom(server)
    expect(await page.locator('.strip.bad').textContent()).toMatch(
      /Reading stopped: epoch 2: the attested lane of 5\w+ is not available/,
    )
  })

  it('follows a served chain, and leaves the scroll position unchanged', async () => {
    const log = await readFile(join(demo.out, 'chain.json'), 'utf8')
    const chain = LocalChain.import(log, () => new Uint8Array(32))
    using server = await listen(serveLocal(chain, 10), 0)
    const network = { chain: `${server.url}/`, buckets: demo.url }
    const viewport = { width: 360, height: 500 }
    const { page } = await openPage(browser, demo.url, { viewport, network })
    expect(await page.locator('.root').textContent()).toBe(demo.verified.root)
    await page.locator('summary').click()
    await page.locator('.root').scrollIntoViewIfNeeded()
    const placeOf = async () => (await page.locator('summary').boundingBox())?.y
    const before = await placeOf()
    for (let block = 182; block <= 210; block++) await chain.produce(block * 12_000)
    // No one attested epoch 6, so it is frozen.
    await page.getByText(/^! 7 epochs recomputed|^✔ 7 epochs recomputed/).waitFor()
    await page.getByText(/Last block: 210, 42 min after/).waitFor()
    expect(await page.locator('details').getAttribute('open')).not.toBeNull()
    expect(await placeOf()).toBeCloseTo(before ?? 0, -1)
  })

  it('loads Bittensor’s client only for a node, whose error it shows', async () => {
    const node = await fakeNode()
    const network = { chain: node.url, netuid: 120, firstEpoch: 0 }
    const { page, requests } = await openIn(tab, demo.url, network)
    await node.stop()
    expect(await page.locator('.strip').textContent()).toContain('NotInRuntime')
    expect(node.asked.length).toBeGreaterThan(0)
    const clients = requests.filter((url) => /subtensor-[^/]*\.js$/.test(url))
    expect(clients.length).toBeGreaterThan(0)
    expect(wide.requests.filter((url) => /subtensor/.test(url))).toEqual([])
  })

  it.each([
    ['no blocks', /✘ \d+ files? read, [1-9]\d* missing$/],
    ['no states', /STATE_MISSING/],
  ] as const)('names the validator of a bucket with %s, and the reason', async (fault, reason) => {
    const [first = ''] = await readdir(join(demo.out, 'buckets'))
    using server = await serveFaulty(demo.out, { [first]: fault })
    const { page } = await openFrom(server)
    expect(await page.locator('.root').textContent()).toBe(demo.verified.root)
    const text = (await page.locator('.strip.warn').textContent()) ?? ''
    const name = `${first.slice(0, 6)}…${first.slice(-4)}`
    expect(text).toContain(`Faulty or missing data: ${name}.`)
    expect(text).toContain('Every result that counts is valid.')
    await page.locator('.strip a').click()
    expect(await page.locator('tr', { hasText: name }).allTextContents()).toContainEqual(
      expect.stringMatching(reason),
    )
  })

  it('reads another copy if a bucket is missing, slow, lying or without CORS headers', async () => {
    const hotkeys = await readdir(join(demo.out, 'buckets'))
    const [missing = '', slow = '', , closed = ''] = hotkeys
    const faults = ['missing', 'slow', 'lying', 'no CORS'] as const
    const byHotkey = Object.fromEntries(faults.map((fault, i) => [hotkeys[i], fault]))
    using server = await serveFaulty(demo.out, byHotkey)
    const { page, requests } = await openFrom(server)
    expect(await page.locator('.root').textContent()).toBe(demo.verified.root)
    expect(await page.locator('h1 a').getAttribute('title')).toBe(demo.verified.champion)
    for (const url of requests)
      expect(
        [demo.url, server.url].some((each) => url.startsWith(each)),
        url,
      ).toBe(true)
    await goTo(page, '#/validators')
    const rowOf = (hotkey: string) =>
      page.locator('section[aria-label="Buckets"] tr', { hasText: hotkey }).textContent()
    expect(await rowOf(slow)).toMatch(/0 files read, 0 missing$|no answer in time/)
    expect(await rowOf(closed)).toContain('no response that a page may read')
    expect(await rowOf(missing)).toMatch(/✘ 0 files read, [1-9]\d* missing$/)
    // One valid copy is enough to decide; missing copies are reported.
    expect(await page.locator('.strip.warn').textContent()).toContain(', others.')
  })

  it.runIf(HAS_FIREFOX)('recomputes, and leads to a duel and a challenge, in Firefox', async () => {
    // Playwright needs a newer or patched Firefox than Debian's.
    await using firefox = await launchFirefox({ browser: 'firefox', executablePath: FIREFOX })
    const page = await firefox.newPage()
    page.setDefaultTimeout(600_000)
    const problems: unknown[] = []
    page.on('pageerror', (error) => problems.push(error))
    page.on('console', (message) => void (message.type() === 'error' && problems.push(message)))
    await page.goto(demo.url)
    await page.locator('.strip.good').wait()
    expect(await page.$eval('h1 a', ({ title }) => title)).toBe(demo.verified.champion)
    expect(await page.$eval('.root', ({ textContent }) => textContent)).toBe(demo.verified.root)

    await page.locator('.mark-crowned a').click()
    await page.locator('::-p-text(contender, epochs )').wait()
    await page.locator('.thumbnails a[title^="mult8@"]').click()
    await page.locator('::-p-text(steps are valid)').wait()
    expect(problems).toEqual([])
  })

  it('is served until Ctrl-C, which removes the files of the demo', async () => {
    const { code, stdout, stderr } = await demo.stop()
    expect([code, stderr]).toEqual([130, ''])
    expect(stdout.match(/\w+:\/\/\S+/g)).toEqual([demo.url])
    expect(await readdir(demo.root)).toEqual([])
  })
})
