import { stateRoot } from '@affine/duel'
import { epochText, type NameOf, type Output, printable } from '@affine/verifier'
import type { Event } from './setup.ts'

/** Says what happens in one validator, for people and for machines. */
export function narrate(event: Event, screen: Output, nameOf: NameOf): void {
  const { type } = event
  if (type === 'epoch') {
    const { before, state, report } = event.settled
    screen.line(epochText(event.settled, nameOf), { type, epoch: before.epoch, root: stateRoot(state), report })
  } else if (type === 'sample') {
    screen.status(`epoch ${event.epoch}: ${event.left} challenges left in the lane`)
  } else if (type === 'sent') {
    screen.line(`  ${event.what} is in block ${event.block}`, event)
  } else if (type === 'withheld') {
    screen.line(`  would send ${event.what} (dry run: nothing is sent without --emit)`, event)
  } else {
    const { message } = event.error
    screen.line(`  ✘ ${event.what}: ${printable(message, 500)}`, { type, what: event.what, message })
  }
}
