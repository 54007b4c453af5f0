import { type Generator, pcg64 } from '@affine/prng'
import { decide, type Lanes, type LaneTally, PROTOCOL, type State } from '../src/index.ts'
import { epochOf, laneOf, MULT8, miner, startedDuels, TICTACTOE } from '../test/subnet.ts'
import { binomial } from './draw.ts'
import { printTable } from './worst.ts'

const [HEX, PACK] = ['hex@0.1.0', 'pack@0.1.0'] as const
const RIVAL = 'rival'
/** The rival came last: ties go to the first in the list. */
const CONTENDERS = [...Array.from({ length: 7 }, (_, i) => `accomplice ${i}`), RIVAL]

/** How often a miner succeeds in an environment of one player. */
interface Skill {
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

/** Who has the throne when nobody of the list is left. */
function crownedOf(crowning: Crowning, random: Generator): string {
  const validators = Array.from({ length: crowning.lanes }, (_, i) => `v${i + 10}`)
  const miners = ['champion', ...CONTENDERS].map((hotkey, i) => miner(hotkey, i))
  const scene = { validators, miners, protocol: PROTOCOL }
  let state = startedDuels(scene)
  while (state.duels.length > 0) {
    const facts = epochOf(state, { ...scene, miners: [] })
    state = decide(state, { ...facts, lanes: lanesOf(crowning, state, random) }).state
  }
  return state.champion?.hotkey ?? ''
}

/** What validators saw; liars copy an accomplice's best lane of it, and the rival's worst. */
function lanesOf(crowning: Crowning, state: State, random: Generator): Lanes {
  const honest = Array.from({ length: crowning.lanes - crowning.liars }, () =>
    laneOf(state, (played, env, contender) =>
      drawTally(played, { env, contender }, crowning, random),
    ),
  )
  const lie = laneOf(state, (_, env, contender) => {
    const ascending = honest
      .map((lane) => lane[contender]?.[env] as LaneTally) // each honest lane has it
      .sort(([wins, losses], [more, fewer]) => wins - losses - (more - fewer))
    return ascending.at(contender === RIVAL ? 0 : -1) as LaneTally
  })
  const all = [...honest, ...Array.from({ length: crowning.liars }, () => lie)]
  return Object.fromEntries(all.map((lane, i) => [`v${i + 10}`, lane]))
}

interface Asked {
  readonly env: string
  readonly contender: string
}

function drawTally(
  played: number,
  { env, contender }: Asked,
  { skill, thrown }: Crowning,
  random: Generator,
): LaneTally {
  const isRival = contender === RIVAL
  if (env === HEX) {
    const wins = binomial(played, isRival ? 0.6 : 0.5 + thrown.games / 2, random)
    return [wins, played - wins, 0, 0]
  }
  const { good, better } = skill
  const rival = env === thrown.worse ? good - 2.5 * (better - good) : better
  const replies = good * (1 - (thrown.silent[env] ?? 0))
  const succeeded = binomial(played, isRival ? rival : good, random)
  const wins = binomial(succeeded, 1 - replies, random)
  const losses = binomial(played - succeeded, replies, random)
  return [wins, losses, 1e6 * succeeded, 1e6 * (succeeded - wins + losses)]
}

/** How often the rival is crowned. */
export function rivalShare(crowning: Crowning, lists: number): number {
  const random = pcg64(20_260_101n)
  const crowned = Array.from({ length: lists }, () => crownedOf(crowning, random))
  return crowned.filter((hotkey) => hotkey === RIVAL).length / lists
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
