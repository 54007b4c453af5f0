import type { Page } from 'playwright'
import { goTo } from './browser.ts'

/** A view, and a function that opens it from the race by its links. */
export interface View {
  readonly name: string
  /** Resolves once the view shows its content. */
  readonly open: (page: Page) => Promise<void>
}

const shows = (page: Page, text: string | RegExp): Promise<void> =>
  page.getByText(text).first().waitFor()

/** Opens the duel that the demo's stronger miner won. */
const openWonDuel = async (page: Page): Promise<void> => {
  await goTo(page, '#/')
  await page.locator('.mark-crowned a').click()
  await page.locator('.thumbnails .picture').nth(7).waitFor()
}

/** Opens the last listed challenge of an environment that the champion lost in the won duel. */
const openLost = async (page: Page, env: string): Promise<void> => {
  await openWonDuel(page)
  await page.locator(`.thumbnails a[title^="${env}@"]`).last().click()
  await shows(page, /All \d+ steps are valid/)
}

/** All views. */
export const VIEWS: readonly View[] = [
  {
    name: 'race',
    open: async (page) => {
      await goTo(page, '#/')
      await page.getByRole('heading', { name: 'Champions, latest first' }).waitFor()
    },
  },
  { name: 'contender', open: openWonDuel },
  {
    name: 'decided',
    open: async (page) => {
      await openWonDuel(page)
      await page.getByText('How this was decided').click()
      await shows(page, 'The numbers, epoch by epoch')
      await page.locator('.lanes').nth(3).waitFor()
    },
  },
  {
    name: 'miner',
    open: async (page) => {
      await openWonDuel(page)
      await page.locator('h1 a.key').nth(1).click()
      await shows(page, /^As champion, /)
    },
  },
  { name: 'board', open: (page) => openLost(page, 'tictactoe') },
  { name: 'multiplication', open: (page) => openLost(page, 'mult8') },
  {
    name: 'game',
    open: async (page) => {
      await openLost(page, 'hex')
      await page.getByRole('heading', { name: 'The game' }).waitFor()
    },
  },
  { name: 'packing', open: (page) => openLost(page, 'pack') },
  {
    name: 'proof',
    open: async (page) => {
      await openLost(page, 'tictactoe')
      await page.getByText(/^Its proof/).click()
      await shows(page, /steps are valid/)
    },
  },
  {
    name: 'proof file',
    open: async (page) => {
      await goTo(page, '#/proof')
      const file = { name: 'a.json', mimeType: 'application/json', buffer: Buffer.from('{}') }
      await page.getByLabel('Proof file').setInputFiles(file)
      await shows(page, '1 of 1 steps fail')
    },
  },
  {
    name: 'miners',
    open: async (page) => {
      await goTo(page, '#/miners')
      await shows(page, 'By place in the queue')
    },
  },
  {
    name: 'validators',
    open: async (page) => {
      await goTo(page, '#/validators')
      await page.locator('.lanes').nth(3).waitFor()
    },
  },
  {
    name: 'validator',
    open: async (page) => {
      await goTo(page, '#/validators')
      await page.locator('tr a.bad').first().click()
      await page.getByRole('heading', { name: 'Lanes, epoch by epoch' }).waitFor()
      await page.locator('.lanes').nth(3).waitFor()
    },
  },
]
