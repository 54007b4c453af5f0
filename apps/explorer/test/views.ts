import type { Page } from 'playwright'
import { goTo } from './browser.ts'

type Open = (page: Page) => Promise<void>

const shows = (page: Page, text: string | RegExp): Promise<void> =>
  page.getByText(text).first().waitFor()

const showsHeading = (page: Page, name: string): Promise<void> =>
  page.getByRole('heading', { name }).waitFor()

/** Resolves once the results of a duel are shown for each of its four environments. */
const showsLanes: Open = (page) => page.locator('.lanes').nth(3).waitFor()

/** Opens the duel that the demo's stronger miner won. */
const openWonDuel: Open = async (page) => {
  await goTo(page, '#/')
  await page.locator('.mark-crowned a').click()
  await page.locator('.thumbnails .picture').nth(7).waitFor()
}

/**
 * Opens the last listed challenge of an environment that the champion lost in the won duel, and
 * whose ending contains a text.
 */
const openLost = async (page: Page, env: string, ending = ''): Promise<void> => {
  await openWonDuel(page)
  const listed = page.locator(`.thumbnails a[title^="${env}@"]`, { hasText: ending })
  await listed.last().click()
  await shows(page, /All \d+ steps are valid/)
}

/** Functions that open each view, most by links from the race, and wait for its content. */
export const VIEWS = {
  race: async (page) => {
    await goTo(page, '#/')
    await showsHeading(page, 'Champions, latest first')
  },
  contender: openWonDuel,
  decided: async (page) => {
    await openWonDuel(page)
    await page.getByText('How this was decided').click()
    await shows(page, 'The numbers, epoch by epoch')
    await showsLanes(page)
  },
  miner: async (page) => {
    await openWonDuel(page)
    await page.locator('h1 a.key').nth(1).click()
    await shows(page, /^As champion, /)
  },
  board: (page) => openLost(page, 'tictactoe'),
  multiplication: (page) => openLost(page, 'mult8'),
  game: async (page) => {
    await openLost(page, 'hex', ' joined ')
    await showsHeading(page, 'The game')
  },
  packing: (page) => openLost(page, 'pack'),
  proof: async (page) => {
    await openLost(page, 'tictactoe')
    await page.getByText(/^Its proof/).click()
    await shows(page, /steps are valid/)
  },
  'proof file': async (page) => {
    await goTo(page, '#/proof')
    const file = { name: 'a.json', mimeType: 'application/json', buffer: Buffer.from('{}') }
    await page.getByLabel('Proof file').setInputFiles(file)
    await shows(page, '1 of 1 steps fail')
  },
  miners: async (page) => {
    await goTo(page, '#/miners')
    await shows(page, 'By place in the queue')
  },
  validators: async (page) => {
    await goTo(page, '#/validators')
    await showsLanes(page)
  },
  validator: async (page) => {
    await goTo(page, '#/validators')
    await page.locator('tr a.bad').first().click()
    await showsHeading(page, 'Lanes, epoch by epoch')
    await showsLanes(page)
  },
} satisfies Readonly<Record<string, Open>>
