import { styleText } from 'node:util'

/** What is shown in green, and what in red. */
const GOOD = /[✔★]|\bwin\b(?<=[→:]\s+win)|\bIt won\b|\bEverything\s+holds\./g
const BAD = /✘|\bhold\b(?<=[→:]\s+hold)|\bIt lost\b|\bNot\s+everything\s+holds\b/g

/**
 * A text with marks and verdicts in colour, if standard output is a terminal with colours and
 * NO_COLOR is not set, or if FORCE_COLOR is set.
 */
export function paint(text: string): string {
  return text
    .replace(GOOD, (found) => styleText('green', found))
    .replace(BAD, (found) => styleText('red', found))
}
