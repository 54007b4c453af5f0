import { MULT8, TICTACTOE } from '../test/subnet.ts'
import { HEX, PACK, SKILLS, type Skill, thirdOf } from './crown.ts'
import type { Share } from './duels.ts'
import { drawGames, drawSolo, type List, measureLists } from './lists.ts'
import { PROMISED } from './promises.ts'
import { equal } from './stakes.ts'
import { belowOf, printTable, textOf } from './worst.ts'

const ORIGINAL = 'original'
const LISTS = process.argv.includes('--all') ? 200 : 20
/** Numbers of epochs by which the copies begin their duels after the original. */
const DELAYS = [0, 1, 3]

/** A champion, and a list with a better original and its copies. */
interface Copying {
  readonly copies: number
  readonly stakes: readonly number[]
  readonly liars: number
  /** Success rates by environment of one player. */
  readonly skills: Readonly<Record<string, Skill>>
}

/** The original wins .6 of decisive challenges: its odds are 1.5 times the champion's odds. */
const above = (good: number): Skill => ({ good, better: (1.5 * good) / (1 + 0.5 * good) })
export const alike = (skill: Skill) => ({ [MULT8]: skill, [PACK]: skill, [TICTACTOE]: skill })
const UNLIKE = { [MULT8]: above(0.45), [PACK]: above(0.3), [TICTACTOE]: above(0.86) }

function listOf({ copies, skills, ...voters }: Copying, delay: number): List {
  const later = Array.from({ length: copies }, (_, i) => [`copy ${i}`, delay] as const)
  const draw: List['draw'] = ({ played, env }, random) => {
    if (env === HEX) return drawGames(played, 0.6, random)
    const { better, good } = skills[env] as Skill // each environment of one player has one
    return drawSolo(played, { contender: better, champion: good }, random)
  }
  const contenders = { [ORIGINAL]: 0, ...Object.fromEntries(later) }
  return { ...voters, contenders, best: ORIGINAL, draw }
}

interface Row extends Copying {
  readonly tied: string
}

const TIES = Object.entries<Skill>(SKILLS).map(([tied, skill]) => ({ tied, skills: alike(skill) }))

const HONEST = [1, 3, 7].flatMap((copies) =>
  [4, 7, 16].flatMap((lanes) =>
    TIES.map((tie): Row => ({ copies, stakes: equal(lanes), liars: 0, ...tie })),
  ),
)

const HARDER: readonly (Row & { readonly setting: string })[] = [
  // First the heaviest validator has more than half of the weight, so that its lane is always the
  // median, and then less than half.
  ...[
    { heaviest: 6, others: 3 },
    { heaviest: 5, others: 6 },
  ].flatMap(({ heaviest, others }) =>
    TIES.map((tie) => {
      const stakes = [heaviest * 1e6, ...equal(others)]
      return { setting: `stake ${heaviest}:1:…`, copies: 7, stakes, liars: 0, ...tie }
    }),
  ),
  ...[3, 7].flatMap((copies) =>
    [4, 16].map((lanes) => {
      const stakes = equal(lanes)
      return { setting: 'unlike rates', copies, stakes, liars: 0, tied: 'unlike', skills: UNLIKE }
    }),
  ),
  ...[4, 7, 16].flatMap((lanes) =>
    TIES.map((tie) => {
      const liars = thirdOf(lanes)
      return { setting: 'a third lies', copies: 7, stakes: equal(lanes), liars, ...tie }
    }),
  ),
]

/** Returns how often the original becomes champion if its copies begin `delay` epochs later. */
export const originalShare = (copying: Copying, delay: number, lists: number): Share =>
  measureLists(listOf(copying, delay), lists)

function throneShare(row: Copying, delay: number): string {
  const promise = row.liars > 0 ? PROMISED.originalAmongLiars : PROMISED.original
  const share = originalShare(row, delay, LISTS)
  return textOf(share, 3) + belowOf(share, promise)
}

/** Prints the results of a better miner among copies of it. */
export function printCopies(): void {
  const title = `How often the original has the throne among copies of it, of ${LISTS} lists`
  const later = ['at once', 'an epoch later', 'three later']
  printTable({ title, columns: ['copies', 'lanes', 'tied', ...later] }, HONEST, (row) => {
    return [
      row.copies,
      row.stakes.length,
      row.tied,
      ...DELAYS.map((delay) => throneShare(row, delay)),
    ]
  })
  const columns = ['all begin at once', 'copies', 'lanes', 'tied', 'has the throne']
  printTable({ title: 'Where it is harder', columns }, HARDER, (row) => {
    return [row.setting, row.copies, row.stakes.length, row.tied, throneShare(row, 0)]
  })
}
