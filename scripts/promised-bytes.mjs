import { readFileSync } from 'node:fs'

/**
 * Returns the number of bytes that a page of the documentation states, so that each number is in
 * one place. The first group of the expression `sentence` matches it in kB.
 * @throws Error if `sentence` does not match the page.
 */
export function promisedBytes(page, sentence) {
  const [, kilobytes] = sentence.exec(readFileSync(page, 'utf8').replace(/\s+/g, ' ')) ?? []
  if (kilobytes === undefined) throw new Error(`${page} expected to match ${sentence}`)
  return 1000 * Number(kilobytes)
}
