import type { EpochFacts } from '../epoch-facts.ts'
import { type NameOf, share } from '../text.ts'

/** What an epoch's end did to the throne, a sentence for each thing. Protocol §8.11. */
export function throneTexts(facts: EpochFacts, nameOf: NameOf): readonly string[] {
  const { throne, duel, heir, nextRatio } = facts
  const holder = nameOf(duel?.champion.hotkey ?? '')
  const rival = nameOf(duel?.contender.hotkey ?? '')
  const becomes = `The ratio to beat becomes ${share(nextRatio)}`
  const texts = {
    dethroned: `★ ${rival} dethrones ${holder}. ${becomes}`,
    inherited: `${rival} has the throne, as ${holder} has left. ${becomes}`,
    held: `${holder} keeps the throne, ${rival} fails`,
    'failed-and-left': `${rival} fails, and ${holder} has left`,
    'won-and-left': `${rival} wins, and has left`,
    crowned: `${nameOf(heir?.hotkey ?? '')} takes the empty throne without a duel. ${becomes}`,
    emptied: 'the throne is empty',
  }
  return throne.map((change) => texts[change])
}
