import { toJson } from '@affine/report'
import { type Output, outliveStdout, output } from '@affine/terminal'
import { type Level, pino } from 'pino'

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
