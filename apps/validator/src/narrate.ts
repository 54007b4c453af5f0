import { stateRoot } from '@affine/duel'
import { epochText, type NameOf, type Output, printable } from '@affine/verifier'
import type { Event } from './setup.ts'

/** Says what happens in one validator, for people and for machines. */
export function narrate(event: Event, screen: Output, nameOf: NameOf): void {
  const { type } = event
  if (type === 'epoch') {
    const { before, state, report } = event.settled
    const record = { type, epoch: before.epoch, root: stateRoot(state), report }
    screen.line(epochText(event.settled, nameOf), record)
  } else if (type === 'sample') {
    screen.status(`epoch ${event.epoch}: ${event.left} challenges left in the lane`)
  } else if (type === 'sent') {
    screen.line(`  ${event.what} is in block ${event.block}`, event)
  } else if (type === 'problem') {
    const { what, error } = event
    screen.line(`  ✘ ${what}: ${printable(error.message, 500)}`, { type, what, message: error.message })
  }
}
