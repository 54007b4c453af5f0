import { MULT8, TICTACTOE } from '../test/subnet.ts'
import { drawGames, drawSolo, type List, measureLists } from './lists.ts'
import { equal } from './stakes.ts'
import { printTable } from './worst.ts'

export const [HEX, PACK] = ['hex@0.1.0', 'pack@0.1.0'] as const
const RIVAL = 'rival'
/** The rival came last: ties go to the first in the list. */
const CONTENDERS = [...Array.from({ length: 7 }, (_, i) => `accomplice ${i}`), RIVAL]

/** How often a miner succeeds in an environment of one player. */
export interface Skill {
  readonly better: number
  readonly good: number
}

/** With these the better one wins .6 of what is decisive, and so much is tied. */
export const SKILLS = {
  '.50': { better: 0.5505, good: 0.4495 },
  '.79': { better: 0.9024, good: 0.8604 },
} as const satisfies Readonly<Record<string, Skill>>

/**
 * What the champion loses on purpose: in environments of one player to everybody, since it cannot
 * see who is asked beside it, and of its games those with accomplices. 1 is all.
 */
export interface Throw {
  readonly silent: Readonly<Record<string, number>>
  readonly games: number
  /** In this environment the rival is so much worse that it is behind by the sum of all. */
  readonly worse?: string
}

export const THROWS = {
  'two environments and games': { silent: { [MULT8]: 1, [PACK]: 1 }, games: 1 },
  'two environments and games, the rival worse in one': {
    silent: { [MULT8]: 1, [PACK]: 1 },
    games: 1,
    worse: MULT8,
  },
  'all and games': { silent: { [MULT8]: 1, [PACK]: 1, [TICTACTOE]: 1 }, games: 1 },
  'half of all and of games': {
    silent: { [MULT8]: 0.5, [PACK]: 0.5, [TICTACTOE]: 0.5 },
    games: 0.5,
  },
  'games alone': { silent: {}, games: 1 },
} as const satisfies Readonly<Record<string, Throw>>

/** A champion, seven accomplices of it that are as good as it is, and a rival in one list. */
interface Crowning {
  readonly lanes: number
  /** The last so many of them lie for the accomplices. */
  readonly liars: number
  readonly skill: Skill
  readonly thrown: Throw
}

/** As many as weigh less than a third. */
export const thirdOf = (lanes: number): number => Math.ceil(lanes / 3) - 1

/** How often the rival is crowned. */
export function rivalShare({ lanes, liars, skill, thrown }: Crowning, lists: number): number {
  const { good, better } = skill
  const draw: List['draw'] = ({ played, env, contender }, random) => {
    const isRival = contender === RIVAL
    if (env === HEX) return drawGames(played, isRival ? 0.6 : 0.5 + thrown.games / 2, random)
    const rival = env === thrown.worse ? good - 2.5 * (better - good) : better
    const champion = good * (1 - (thrown.silent[env] ?? 0))
    return drawSolo(played, { contender: isRival ? rival : good, champion }, random)
  }
  const contenders = Object.fromEntries(CONTENDERS.map((hotkey) => [hotkey, 0]))
  return measureLists({ contenders, best: RIVAL, stakes: equal(lanes), liars, draw }, lists).won
}

/** Here the rival has to win its games, under lies at few lanes: bench games. */
const BY_GAMES: Throw = { ...THROWS['two environments and games'], worse: TICTACTOE }

const LISTS = process.argv.includes('--all') ? 300 : 30

/** A better miner among accomplices of a champion that throws its duels to them. */
export function printCrown(): void {
  const title = `How often a miner of p = .6 has the throne among seven accomplices, of ${LISTS}`
  const columns = ['the champion throws', 'lanes', 'tied', 'all honest', 'a third lies']
  const throws = { ...THROWS, 'two environments and games, the rival worse in the third': BY_GAMES }
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
