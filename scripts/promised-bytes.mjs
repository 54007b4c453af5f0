import { readFileSync } from 'node:fs'

/**
 * Returns the bytes that a page of the documentation states as kB in `sentence`, so that each
 * number is in one place.
 * @throws Error if the page has no such sentence.
 */
export function promisedBytes(page, sentence) {
  const [, kilobytes] = sentence.exec(readFileSync(page, 'utf8').replace(/\s+/g, ' ')) ?? []
  if (kilobytes === undefined) throw new Error(`${page} expected to match ${sentence}`)
  return 1000 * Number(kilobytes)
}
