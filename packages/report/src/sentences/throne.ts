import type { EpochFacts } from '../epoch-facts.ts'
import { type NameOf, percent } from '../text.ts'
import { FROZEN_OUT } from './duel.ts'

/** What happened to the throne at an epoch's end, in sentences. Protocol §8.11. */
export function throneTexts(facts: EpochFacts, nameOf: NameOf): readonly string[] {
  const { throne, duel, heir, nextRatio } = facts
  const holder = nameOf(duel?.champion.hotkey ?? '')
  const rival = nameOf(duel?.contender.hotkey ?? '')
  const isFrozenOut = duel?.end?.by === 'freezing'
  const failure = isFrozenOut ? `waits again, ${FROZEN_OUT}` : 'fails'
  const becomes = `The ratio to beat becomes ${percent(nextRatio)}`
  const texts = {
    dethroned: `★ ${rival} dethrones ${holder}. ${becomes}`,
    inherited: `${rival} gets the throne, because ${holder} has left. ${becomes}`,
    held: `${holder} keeps the throne, ${rival} ${failure}`,
    'failed-and-left': `${rival} fails, but ${holder} has left`,
    'won-and-left': `${rival} wins, but has left`,
    crowned: `${nameOf(heir?.hotkey ?? '')} takes the empty throne without a duel. ${becomes}`,
    emptied: 'the throne is empty',
  }
  return throne.map((change) => texts[change])
}
