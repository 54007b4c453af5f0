import type { DuelAccount } from './book.ts'
import { type Deeds, type Side, sumDeeds } from './deeds.ts'
import type { DuelTurn, EpochAccount } from './worker/epoch-account.ts'

/** What a way to forfeit means. */
const FORFEITS: Readonly<Record<string, string>> = {
  'no-reply': 'no answer came in time',
  oversize: 'the answer was too long',
  unreadable: 'the last line was no answer that can be read',
  illegal: 'the move was not allowed',
}

export const forfeitWords = (way: string): string => FORFEITS[way] ?? way

/** What a verdict of an environment means. */
export const VERDICTS = {
  win: 'the contender leads by more than luck and liars can explain',
  hold: 'what is left until the cap cannot plausibly make it a win',
  even: 'too few challenges tell the two apart, so it counts for neither',
  open: 'not decided yet',
} as const

/** How many environments a contender has to win. Protocol §8.7. */
export function neededOf({ verdicts, environments, margin }: DuelTurn): number {
  const even = Object.values(verdicts).filter((verdict) => verdict === 'even').length
  return Math.ceil((environments - even + margin) / 2)
}

/** How many environments the contender has won. */
export const wonOf = ({ verdicts }: DuelTurn): number =>
  Object.values(verdicts).filter((verdict) => verdict === 'win').length

/** What an epoch did to the throne, a sentence for each thing. */
export function endingWords(
  { endings, duel, heir }: EpochAccount,
  nameOf: (hotkey: string) => string,
): readonly string[] {
  const holder = nameOf(duel?.champion.hotkey ?? '')
  const rival = nameOf(duel?.contender.hotkey ?? '')
  const words = {
    dethroned: `${rival} dethrones ${holder}.`,
    inherited: `${rival} has the throne, as ${holder} has left.`,
    held: `${holder} keeps the throne, ${rival} fails.`,
    'failed-and-left': `${rival} fails, and ${holder} has left.`,
    'won-and-left': `${rival} wins, and has left.`,
    crowned: `${nameOf(heir?.hotkey ?? '')} takes the empty throne without a duel.`,
    emptied: 'The throne is empty.',
  }
  return endings.map((ending) => words[ending])
}

/** What a side did in all of a duel's epochs. */
export const deedsOf = ({ epochs }: DuelAccount, side: Side): Deeds =>
  sumDeeds(epochs.map(({ deeds }) => deeds[side]))

/** A duel told to one of its two, in plain words: how it ended, and what its endpoint did. */
export function minerWords(account: DuelAccount, side: Side): readonly string[] {
  const { duel } = account
  const deeds = deedsOf(account, side)
  const silent = deeds.forfeits['no-reply'] ?? 0
  const answered = deeds.challenges - silent
  return [
    outcomeWords(account, side),
    `${wonOf(duel)} of ${duel.environments} environments were won by the contender, ` +
      `${neededOf(duel)} needed.`,
    `Your endpoint answered ${answered} of ${deeds.challenges} challenges.`,
    ...Object.entries(deeds.forfeits)
      .filter(([way]) => way !== 'no-reply')
      .map(([way, count]) => `${count} were forfeited: ${forfeitWords(way)}.`),
  ]
}

function outcomeWords({ end }: DuelAccount, side: Side): string {
  if (end === undefined) return 'The duel goes on.'
  const { endings } = end
  const isContenders = endings.some((ending) =>
    ['dethroned', 'inherited', 'won-and-left'].includes(ending),
  )
  const won = isContenders === (side === 'contender')
  return won ? 'You won.' : 'You lost.'
}
