import { type Line, plainText, toJson } from '@affine/report'
import { type Output, outliveStdout, output } from '@affine/terminal'

/**
 * Returns the output of a service: lines for people in a terminal; with `json`, or without a
 * terminal, a log with one JSON object a line: level, time, the record, and the first line of the
 * text as `msg`. `mask` masks secrets in all of it. The service continues if its output fails.
 */
export function createServiceOutput(json: boolean, hide: (text: string) => string): Output {
  outliveStdout()
  if (json || !process.stdout.isTTY) return createLogOutput(hide)
  const { line, status } = output()
  const hidden = (each: Line): Line =>
    typeof each === 'string' ? hide(each) : { ...each, text: hide(each.text) }
  return { line: (lines, record) => line([lines].flat().map(hidden), record), status }
}

function createLogOutput(hide: (text: string) => string): Output {
  // Masks each text separately, because JSON escapes some characters, and JSON in JSON twice.
  const hidden = (_: string, value: unknown) => (typeof value === 'string' ? hide(value) : value)
  return {
    line: (lines, record) => {
      const [msg] = plainText(lines)
        .replace(/^[\s✘!]+/, '')
        .split('\n')
      const entry = { level: getLevel(record), time: new Date().toISOString(), ...record, msg }
      process.stdout.write(`${toJson(JSON.parse(toJson(entry), hidden))}\n`)
    },
    status: () => {},
  }
}

function getLevel(record: object): 'error' | 'warn' | 'info' {
  const type = 'type' in record && record.type
  if (type === 'problem') return 'error'
  if (type === 'warning') return 'warn'
  return 'info'
}
