import { stateRoot } from '@affine/duel'
import { epochText, type NameOf, type Output, output, printable, toJson } from '@affine/verifier'
import { pino } from 'pino'
import type { Event } from './setup.ts'

/** Says what happens in one validator, for people and for machines. */
export function narrate(event: Event, screen: Output, nameOf: NameOf): void {
  const { type } = event
  if (type === 'epoch') {
    const { before, state, report } = event.settled
    screen.line(epochText(event.settled, nameOf), {
      type,
      epoch: before.epoch,
      root: stateRoot(state),
      report,
    })
  } else if (type === 'sample') {
    screen.status(`epoch ${event.epoch}: ${event.left} challenges left in the lane`)
  } else if (type === 'sent') {
    screen.line(`  ${event.what} is in block ${event.block}`, event)
  } else if (type === 'withheld') {
    screen.line(`  would send ${event.what} (dry run: nothing is sent without --emit)`, event)
  } else if (type === 'problem') {
    const { message } = event.error
    screen.line(`  ✘ ${event.what}: ${printable(message, 500)}`, {
      type,
      what: event.what,
      message,
    })
  }
}

/** Says what an operator should know, and perhaps mend. */
export function warn(screen: Output, text: string): void {
  screen.line(`! ${text}`, { type: 'warning', text })
}

/**
 * What a service says: in a terminal lines for people; with `json`, and where there is no terminal,
 * a log: one JSON object a line with level, time, the record, and the first line of the text as
 * `msg`. All of it goes through `hide`.
 */
export function serviceOutput(json: boolean, hide: (text: string) => string): Output {
  const { line, status } = output()
  if (!json && process.stdout.isTTY)
    return { line: (text, record) => line(hide(text), record), status }
  const write = (text: string) => process.stdout.write(`${hide(toJson(JSON.parse(text)))}\n`)
  const level = (name: string) => ({ level: name })
  const log = pino(
    { base: null, timestamp: pino.stdTimeFunctions.isoTime, formatters: { level } },
    { write },
  )
  const say: Output['line'] = (text, record) => {
    const type = 'type' in record && record.type
    const [first] = text.replace(/^[\s✘!]+/, '').split('\n')
    log[type === 'problem' ? 'error' : type === 'warning' ? 'warn' : 'info'](
      JSON.parse(toJson(record)),
      first,
    )
  }
  return { line: say, status: () => {} }
}
