import type { Event } from '@affine/engine'
import { epochFacts, epochRecord, epochText, type NameOf } from '@affine/report'
import { type Output, printable } from '@affine/terminal'

/** Prints the events of one validator, for people and for machines. */
export function narrate(event: Event, screen: Output, nameOf: NameOf): void {
  switch (event.type) {
    case 'epoch':
      screen.line(epochText(epochFacts(event.settled), nameOf), epochRecord(event.settled))
      break
    case 'sample':
      screen.status(`epoch ${event.epoch}: ${event.left} challenges left in the lane`)
      break
    case 'sent':
      screen.line(`  ${event.what} is in block ${event.block}`, event)
      break
    case 'withheld':
      screen.line(`  would send ${event.what} (dry run: nothing is sent without --emit)`, event)
      break
    case 'slow':
      warn(screen, `the bucket of ${event.hotkey} is slow: it is asked less from now on`)
      break
    case 'problem':
      sayProblem(event.what, event.error, screen)
  }
}

function sayProblem(what: string, { message }: Error, screen: Output): void {
  screen.line(`  ✘ ${what}: ${printable(message, 500)}`, { type: 'problem', what, message })
}

/** Prints a warning for the operator. */
export function warn(screen: Output, text: string): void {
  screen.line(`! ${text}`, { type: 'warning', text })
}
