import {
  epochRecord,
  epochText,
  type NameOf,
  type Output,
  outliveStdout,
  output,
  printable,
  toJson,
} from '@affine/terminal'
import { type Level, pino } from 'pino'
import type { Event } from './setup.ts'

/** Says what happens in one validator, for people and for machines. */
export function narrate(event: Event, screen: Output, nameOf: NameOf): void {
  switch (event.type) {
    case 'epoch':
      screen.line(epochText(event.settled, nameOf), epochRecord(event.settled))
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
    case 'problem':
      sayProblem(event.what, event.error, screen)
  }
}

function sayProblem(what: string, { message }: Error, screen: Output): void {
  screen.line(`  ✘ ${what}: ${printable(message, 500)}`, { type: 'problem', what, message })
}

/** Says what an operator should know, and perhaps mend. */
export function warn(screen: Output, text: string): void {
  screen.line(`! ${text}`, { type: 'warning', text })
}

/**
 * What a service says: in a terminal lines for people; with `json`, and where there is no terminal,
 * a log: one JSON object a line with level, time, the record, and the first line of the text as
 * `msg`. All of it goes through `hide`. The service goes on when nothing can be said any more.
 */
export function serviceOutput(json: boolean, hide: (text: string) => string): Output {
  outliveStdout()
  if (json || !process.stdout.isTTY) return logOutput(hide)
  const { line, status } = output()
  return { line: (text, record) => line(hide(text), record), status }
}

function logOutput(hide: (text: string) => string): Output {
  // Each text by itself: JSON writes some characters in two, and does so again in a text of JSON.
  const hidden = (_: string, value: unknown) => (typeof value === 'string' ? hide(value) : value)
  const write = (text: string) => process.stdout.write(`${toJson(JSON.parse(text, hidden))}\n`)
  const level = (name: string) => ({ level: name })
  const timestamp = pino.stdTimeFunctions.isoTime
  const log = pino({ base: null, timestamp, formatters: { level } }, { write })
  return {
    line: (text, record) => {
      const [first] = text.replace(/^[\s✘!]+/, '').split('\n')
      log[levelOf(record)](JSON.parse(toJson(record)), first)
    },
    status: () => {},
  }
}

function levelOf(record: object): Level {
  const type = 'type' in record && record.type
  if (type === 'problem') return 'error'
  if (type === 'warning') return 'warn'
  return 'info'
}
