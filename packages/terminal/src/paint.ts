import { styleText } from 'node:util'

/** What is said to be well, and what is not. */
const GOOD = /[✔★]|(?<=[→:]\s+)win\b|\bYou won\b|\bEverything\s+holds\./g
const BAD = /✘|(?<=[→:]\s+)hold\b|\bYou lost\b|\bNot\s+everything\s+holds\b/g

/**
 * A text with marks and verdicts in colour, where standard output has it: on a terminal, by its
 * kind, unless NO_COLOR says otherwise; and anywhere if FORCE_COLOR does.
 */
export function paint(text: string): string {
  return text
    .replace(GOOD, (found) => styleText('green', found))
    .replace(BAD, (found) => styleText('red', found))
}
