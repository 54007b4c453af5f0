import { readFileSync } from 'node:fs'

/**
 * How many bytes a page of the documentation promises, as the kB in this sentence of it: what is
 * measured is held against that, so that no number stands twice.
 * @throws Error when the page does not say it.
 */
export function promisedBytes(page, sentence) {
  const [, kilobytes] = sentence.exec(readFileSync(page, 'utf8').replace(/\s+/g, ' ')) ?? []
  if (kilobytes === undefined) throw new Error(`${page} expected to say ${sentence}`)
  return 1000 * Number(kilobytes)
}
