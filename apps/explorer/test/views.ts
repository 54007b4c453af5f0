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
  await shows(page, 'What decides, epoch by epoch')
}

/** The first challenge of this environment that the champion of that duel lost. */
const openLost = async (page: Page, env: string): Promise<void> => {
  await openWonDuel(page)
  await page.locator('h1 a.key').nth(1).click()
  await page.locator('.losses a', { hasText: env }).first().click()
  await shows(page, /All \d+ steps hold/)
}

/** Every view that there is. */
export const VIEWS: readonly View[] = [
  {
    name: 'throne',
    open: async (page) => {
      await goTo(page, '#/')
      await shows(page, 'Miners that wait, and why others do not')
    },
  },
  { name: 'duel', open: openWonDuel },
  {
    name: 'miner',
    open: async (page) => {
      await openWonDuel(page)
      await page.locator('h1 a.key').nth(1).click()
      await shows(page, /^You lost/)
    },
  },
  { name: 'board', open: (page) => openLost(page, 'tictactoe') },
  { name: 'multiplication', open: (page) => openLost(page, 'mult8') },
  {
    name: 'challenge',
    open: async (page) => {
      await openLost(page, 'tictactoe')
      await page.locator('main p a.mono').first().click()
      await shows(page, 'See how it was played, and the proof')
    },
  },
  {
    name: 'validators',
    open: async (page) => {
      await goTo(page, '#/validators')
      await shows(page, 'Trust over time')
    },
  },
  {
    name: 'rule',
    open: async (page) => {
      await goTo(page, '#/rule')
      await shows(page, 'naive: the z of one look')
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
