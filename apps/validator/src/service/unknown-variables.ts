import { SETTINGS } from './settings-table.ts'
import type { Given } from './told.ts'

const KNOWN = SETTINGS.flatMap(({ variables }) => variables)
const OURS = /^(?:AFFINE|R2|S3)_/

/** A sentence for each variable that looks like one of ours and is none, with the nearest. */
export function unknownIn(given: Given): readonly string[] {
  const names = Object.keys(given).filter((name) => OURS.test(name) && !KNOWN.includes(name))
  return names.sort().map((name) => `${name} is not known: is ${nearest(name)} meant?`)
}

function nearest(name: string): string {
  const sorted = [...KNOWN].sort((a, b) => distance(a, name) - distance(b, name))
  return sorted[0] ?? ''
}

/** How many letters must be added, taken away or changed to make one of the other. */
function distance(one: string, other: string): number {
  let above = Array.from({ length: other.length + 1 }, (_, i) => i)
  for (const [i, letter] of [...one].entries()) {
    const row = [i + 1]
    for (const [j, wanted] of [...other].entries()) {
      const [left = 0, up = 0, across = 0] = [row[j], above[j + 1], above[j]]
      row.push(Math.min(left + 1, up + 1, across + Number(letter !== wanted)))
    }
    above = row
  }
  return above.at(-1) ?? 0
}
