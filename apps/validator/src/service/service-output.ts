import { type Line, stripTones, toJson } from '@affine/report'
import { type Output, outliveStdout, output } from '@affine/terminal'
import { type Masker, maskRecord } from './secrets.ts'

/**
 * Returns the output of a service: lines for people in a terminal; with `json`, or without a
 * terminal, a log with one JSON object a line: level, time, the record, and the first line of the
 * text as `msg`. `mask` masks secrets in lines and records. The service continues if its output
 * fails.
 */
export function createServiceOutput(json: boolean, mask: Masker): Output {
  outliveStdout()
  if (json || !process.stdout.isTTY) return createLogOutput(mask)
  const { line, ...others } = output()
  const masked = (each: Line): Line =>
    typeof each === 'string' ? mask(each) : { ...each, text: mask(each.text) }
  return { line: (lines, record) => line([lines].flat().map(masked), record), ...others }
}

/** Levels by type of a record. Other records have level `info`. */
const LEVELS: Readonly<Record<string, string>> = { problem: 'error', warning: 'warn' }

function createLogOutput(mask: Masker): Output {
  return {
    line: (lines, record) => {
      const [msg] = stripTones(lines)
        .replace(/^[\s✘!]+/, '')
        .split('\n')
      const level = LEVELS[String(Reflect.get(record, 'type'))] ?? 'info'
      const entry = { level, time: new Date().toISOString(), ...record, msg }
      process.stdout.write(`${toJson(maskRecord(entry, mask))}\n`)
    },
    status: () => {},
    wait: () => {},
  }
}
