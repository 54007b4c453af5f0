import type { DuelFacts } from '../duel-facts.ts'
import type { MinerDuel } from '../miner-duel.ts'
import type { MinerStats } from '../miner-stats.ts'
import { resultFor } from '../sides.ts'
import { verdictText } from './environment.ts'
import { forfeitsText } from './forfeits.ts'

type ToldDuel = Pick<MinerDuel<unknown>, 'role' | 'duel' | 'stats'>

/** How a miner is called that is told about, and how one that is told itself. */
const PERSONS = {
  it: { who: 'It', whose: 'Its', left: 'it left' },
  you: { who: 'You', whose: 'Your', left: 'you left' },
} as const

/** A miner's duel as a sentence, to it or about it: its result, and what its endpoint did. */
export const answerText = (told: ToldDuel, person: keyof typeof PERSONS): string =>
  `${outcomeText(told, person)} ${repliesText(told.stats, person)}`

function outcomeText({ role, duel }: ToldDuel, person: keyof typeof PERSONS): string {
  const { who, whose, left } = PERSONS[person]
  const result = resultFor(role, duel)
  const wins = winsText(duel, role === 'champion' ? 'the contender has ' : '')
  if (result === 'open') return `${whose} duel goes on: ${wins}.`
  const head = result === 'won' ? `${who} won` : `${who} lost`
  const by = duel.end?.by
  if (by === 'environments') return `${head}: ${wins}.`
  if (by === 'length') return `${head}: ${wins}, when the ${duel.duelEpochs} epochs were over.`
  if (by === 'freezing') return `${head}: ${wins}, ${FROZEN_OUT}.${againText(role)}`
  if (result === 'won') return `${head}, because the other miner left: ${wins}.`
  return `${head}, because ${left} (a new commitment, or not registered): ${wins}.`
}

/** Why a duel ended frozen. Protocol §8.3. */
export const FROZEN_OUT = 'when too few validators attested in four of its epochs'

const againText = (role: ToldDuel['role']): string =>
  role === 'contender' ? ' Your commitment waits again: keep it.' : ''

/** How many environments the contender has won and needs, as in "1 of 2 environments, 2 needed". */
export function winsText({ wins, counted, needed }: DuelFacts, whose = ''): string {
  if (counted === 0) return 'no environment tells the two apart'
  return `${whose}${wins} of ${counted} environments, ${needed} needed`
}

function repliesText(
  { challenges, unbegun, answered, forfeits }: MinerStats<unknown>,
  person: keyof typeof PERSONS,
): string {
  if (challenges === 0) return 'No challenge counted.'
  const due = challenges - unbegun
  const texts = [`${PERSONS[person].whose} endpoint answered ${answered} of ${due}.`]
  const { 'no-reply': _, ...others } = forfeits
  const ways = forfeitsText(others)
  if (ways !== '') texts.push(`These of its answers were forfeits: ${ways}.`)
  if (unbegun > 0) texts.push(unbegunText(unbegun))
  return texts.join(' ')
}

function unbegunText(games: number): string {
  const which = games === 1 ? '1 game was' : `${games} games were`
  return `${which} never begun: ties, which cost nobody anything.`
}

/** What each environment's verdict means, and what the contender needs. Protocol §8.7. */
export function verdictTexts(duel: DuelFacts): readonly string[] {
  const { envs, verdicts, counted, needed, duelEpochs } = duel
  const meanings = envs.map((env) => `${env}: ${verdictText(verdicts[env])}`)
  if (counted === 0) return meanings
  const wins = `${needed} of the ${counted} environments that are not even`
  return [...meanings, `the contender needs to win ${wins}, in ${duelEpochs} epochs`]
}
