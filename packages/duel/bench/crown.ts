import { PROTOCOL } from '../src/index.ts'
import { MULT8, TICTACTOE } from '../test/subnet.ts'
import { drawGames, drawSolo, type List, measureLists } from './lists.ts'
import { equal } from './stakes.ts'
import { printTable } from './worst.ts'

export const [HEX, PACK] = ['hex@0.1.0', 'pack@0.1.0'] as const
const RIVAL = 'rival'
/** The rival registered last. Ties go to the first in the list. */
const CONTENDERS = [...Array.from({ length: 7 }, (_, i) => `accomplice ${i}`), RIVAL]

/** Success rates of miners in an environment of one player. */
export interface Skill {
  readonly better: number
  readonly good: number
}

/** Rates with which the better miner wins .6 of decisive challenges, by share of ties. */
export const SKILLS = {
  '.50': { better: 0.5505, good: 0.4495 },
  '.79': { better: 0.9024, good: 0.8604 },
} as const satisfies Readonly<Record<string, Skill>>

/**
 * The shares of challenges that the champion loses on purpose: in environments of one player to all
 * contenders, since it cannot tell them apart there, and in games only to accomplices.
 */
export interface Throw {
  readonly silent: Readonly<Record<string, number>>
  readonly games: number
  /** Multiple of the rival's usual lead, by environment. Default: 1. */
  readonly leads?: Readonly<Record<string, number>>
  /**
   * Whether the champion is silent only in the first epoch, and loses the games that are still open
   * in the last epoch.
   */
  readonly isLate?: boolean
}

/** Multiple of its lead in one environment that puts the rival behind in the sum over all. */
const WORSE = -2.5

export const THROWS = {
  'two environments and games': { silent: { [MULT8]: 1, [PACK]: 1 }, games: 1 },
  'two environments and games, the rival worse in one': {
    silent: { [MULT8]: 1, [PACK]: 1 },
    games: 1,
    leads: { [MULT8]: WORSE },
  },
  'all and games': { silent: { [MULT8]: 1, [PACK]: 1, [TICTACTOE]: 1 }, games: 1 },
  'half of all and of games': {
    silent: { [MULT8]: 0.5, [PACK]: 0.5, [TICTACTOE]: 0.5 },
    games: 0.5,
  },
  'games alone': { silent: {}, games: 1 },
} as const satisfies Readonly<Record<string, Throw>>

/** Accomplices win early where the rival is better, so they play few challenges there. */
export const LATE: Throw = {
  ...THROWS['two environments and games'],
  isLate: true,
  leads: { [TICTACTOE]: 0 },
}

/** A champion, seven equally good accomplices, and a rival in one list. */
interface Crowning {
  readonly lanes: number
  /** Number of validators that lie for the accomplices: the last ones. */
  readonly liars: number
  readonly skill: Skill
  readonly thrown: Throw
}

/** The largest number of liars that weigh less than a third. */
export const thirdOf = (lanes: number): number => Math.ceil(lanes / 3) - 1

/** Share of won games that neither wins nor loses an environment before the last epoch. */
const STILL_OPEN = 0.55

/** Returns how often the rival becomes champion. */
export function rivalShare({ lanes, liars, skill, thrown }: Crowning, lists: number): number {
  const { good, better } = skill
  const draw: List['draw'] = ({ played, env, contender, epochIndex }, random) => {
    const isRival = contender === RIVAL
    const isThrowing = (epoch: number) => thrown.isLate !== true || epochIndex === epoch
    const games = isThrowing(PROTOCOL.duelEpochs) ? 0.5 + thrown.games / 2 : STILL_OPEN
    if (env === HEX) return drawGames(played, isRival ? 0.6 : games, random)
    const rival = good + (thrown.leads?.[env] ?? 1) * (better - good)
    const champion = isThrowing(1) ? good * (1 - (thrown.silent[env] ?? 0)) : good
    return drawSolo(played, { contender: isRival ? rival : good, champion }, random)
  }
  const contenders = Object.fromEntries(CONTENDERS.map((hotkey) => [hotkey, 0]))
  return measureLists({ contenders, best: RIVAL, stakes: equal(lanes), liars, draw }, lists).won
}

/** The rival has to win its games, which lies can prevent at few lanes: see `bench games`. */
const BY_GAMES: Throw = { ...THROWS['two environments and games'], leads: { [TICTACTOE]: WORSE } }

const LISTS = process.argv.includes('--all') ? 300 : 30

/** Prints the results of a rival among accomplices to whom the champion loses on purpose. */
export function printCrown(): void {
  const title = `How often a miner of p = .6 has the throne among seven accomplices, of ${LISTS}`
  const columns = ['the champion throws', 'lanes', 'tied', 'all honest', 'a third lies']
  const throws = {
    ...THROWS,
    'two environments and games, the rival worse in the third': BY_GAMES,
    'two environments in the first epoch, games in the last': LATE,
  }
  const rows = Object.entries<Throw>(throws).flatMap(([name, thrown]) =>
    [4, 7, 16].flatMap((lanes) =>
      Object.entries<Skill>(SKILLS).map(([tied, skill]) => ({ name, thrown, lanes, tied, skill })),
    ),
  )
  printTable({ title, columns }, rows, ({ name, thrown, lanes, tied, skill }) => {
    const shares = [0, thirdOf(lanes)].map((liars) =>
      rivalShare({ lanes, liars, skill, thrown }, LISTS),
    )
    return [name, lanes, tied, ...shares.map((share) => share.toFixed(2))]
  })
}
