import type { Page } from 'playwright'
import { goTo } from './browser.ts'

/** A view, and how to come to it from the throne by what is on the page. */
export interface View {
  readonly name: string
  /** Resolves once it shows what it has to show. */
  readonly open: (page: Page) => Promise<void>
}

const shows = (page: Page, text: string | RegExp): Promise<void> =>
  page.getByText(text).first().waitFor()

/** The link of a duel that the demo's stronger miner won. */
const openWonDuel = async (page: Page): Promise<void> => {
  await goTo(page, '#/')
  await page.locator('a.mark-won').click()
  await shows(page, 'How this was decided')
}

/** The last challenge of this environment that the champion of that duel lost by what it replied. */
const openLost = async (page: Page, env: string): Promise<void> => {
  await openWonDuel(page)
  // Those that were forfeited have a title.
  await page.locator(`a[aria-label^="${env}@"]:not([title])`).last().click()
  await shows(page, /All \d+ steps hold/)
}

/** Every view that there is. */
export const VIEWS: readonly View[] = [
  {
    name: 'throne',
    open: async (page) => {
      await goTo(page, '#/')
      await page.getByRole('heading', { name: 'Duels' }).waitFor()
    },
  },
  { name: 'duel', open: openWonDuel },
  {
    name: 'decided',
    open: async (page) => {
      await openWonDuel(page)
      await page.getByText('How this was decided').click()
      await shows(page, 'What decides, epoch by epoch')
    },
  },
  {
    name: 'miner',
    open: async (page) => {
      await openWonDuel(page)
      await page.locator('h1 a.key').nth(1).click()
      await shows(page, /^It lost/)
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
    name: 'challenge',
    open: async (page) => {
      await openLost(page, 'tictactoe')
      await page.locator('main p a.mono').first().click()
      await shows(page, 'See how it was played, and the proof')
    },
  },
  {
    name: 'miners',
    open: async (page) => {
      await goTo(page, '#/miners')
      await shows(page, 'A miner commits a model on chain')
    },
  },
  {
    name: 'validators',
    open: async (page) => {
      await goTo(page, '#/validators')
      await shows(page, 'Each validator asks the champion and all contenders')
    },
  },
  {
    name: 'validator',
    open: async (page) => {
      await goTo(page, '#/validators')
      await page.locator('tr.aside a.key').first().click()
      await shows(page, /lanes too far from the others/)
    },
  },
  {
    name: 'play',
    open: async (page) => {
      await goTo(page, '#/play')
      await shows(page, 'You will see it when you have finished.')
    },
  },
]
