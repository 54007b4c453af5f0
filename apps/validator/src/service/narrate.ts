import type { Event } from '@affine/engine'
import { epochFacts, epochRecord, epochText, type NameOf } from '@affine/report'
import { type Output, printable } from '@affine/terminal'

export type Problem = Extract<Event, { readonly type: 'problem' }>

/** Prints the events of one validator, for people and for machines. */
export function narrate(event: Event, screen: Output, nameOf: NameOf): void {
  switch (event.type) {
    case 'state': {
      const { epoch } = event.state
      screen.line(`starts with the state of epoch ${epoch}`, { type: 'state', epoch })
      break
    }
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
      warn(
        screen,
        `the bucket of ${event.hotkey} is slow: this epoch goes on without it; you need not act`,
      )
      break
    case 'problem':
      sayProblem(event, screen)
  }
}

/**
 * Refusals that come of a restart, or of a chain that is slow or full: what was sent before may
 * hold, or the time for it is over.
 */
const PASSING = new Set([
  'AncientBirthBlock',
  'CommitmentSetRateLimitExceeded',
  'CommittingWeightsTooFast',
  'DrandBehind',
  'ExhaustsResources',
  'RateLimitExceeded',
  'SettingWeightsTooFast',
  'SpaceLimitExceeded',
  'Stale',
])
const NEXT = '; it is sent again if its epoch allows it, and you need not act'

/**
 * Prints a problem, which came `unsaid` times since it was printed last.
 */
export function sayProblem(
  { what, error: { message } }: Problem,
  screen: Output,
  unsaid = 0,
): void {
  const times = unsaid === 1 ? 'once more' : `${unsaid} more times`
  const often = unsaid === 0 ? '' : ` (${times} since it was last said)`
  const said = printable(`${what}: ${message}`, 600) // a miner names its own model
  if (PASSING.has(message.split(':', 1)[0] ?? '')) {
    warn(screen, `${said}${NEXT}${often}`)
  } else {
    const text = `  ✘ ${said}${often}`
    const record = { type: 'problem', what, message, ...(unsaid > 0 && { unsaid }) }
    screen.line([{ text, tone: 'bad' }], record)
  }
}

/** Prints a warning for the operator. */
export function warn(screen: Output, text: string): void {
  screen.line([{ text: `! ${text}`, tone: 'warning' }], { type: 'warning', text })
}

/** How long a problem is not said again. */
const PAUSE_MS = 600_000
/** Of kinds of problems that are remembered. */
const MOST_KINDS = 100

/**
 * A problem that a validator meets at every block is said at once, and every ten minutes. Texts
 * that differ only in numbers and hashes are the same problem; but of miners, which differ in their
 * hotkeys and ports, and whose faults do in a status. The function returns how often it came since
 * it was last said, or undefined if it is not to be said now.
 */
export function repeatedProblems(now: () => number): (problem: Problem) => number | undefined {
  const known = new Map<string, { readonly at: number; readonly unsaid: number }>()
  return ({ what, error }) => {
    const kind = kindOf(`${what}: ${error.message}`)
    const { at, unsaid } = known.get(kind) ?? { at: Number.NEGATIVE_INFINITY, unsaid: 0 }
    const isDue = now() - at >= PAUSE_MS
    known.delete(kind)
    known.set(kind, isDue ? { at: now(), unsaid: 0 } : { at, unsaid: unsaid + 1 })
    for (const old of [...known.keys()].slice(0, -MOST_KINDS)) known.delete(old)
    return isDue ? unsaid : undefined
  }
}

function kindOf(text: string): string {
  if (text.startsWith('miner ')) return text
  return text.replace(/[0-9A-Za-z]{40,}|\d+/g, '#')
}
