import { readFileSync } from 'node:fs'

/**
 * One program against another in docs/environments.md: `p` is its share of the decisive challenges,
 * `tied` the share of ties among all challenges.
 */
export interface MeasuredPair {
  readonly p: number
  readonly tied: number
}

const page = readFileSync(new URL('../../../docs/environments.md', import.meta.url), 'utf8')
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map((cells) => cells.slice(1, -1))

function rowOf(names: readonly string[], length: number): readonly string[] {
  const found = rows.find(
    (cells) => cells.length === length && names.every((name, at) => cells[at] === name),
  )
  if (found === undefined) throw new Error(`docs/environments.md has no row of ${names.join(', ')}`)
  return found
}

/** Returns a pair's mean over all sizes of board. */
export function measuredHex(strong: string, weak: string): MeasuredPair {
  return { p: Number.parseFloat(rowOf([strong, weak], 6)[5] ?? ''), tied: 0 }
}

export function measuredPack(strong: string, weak: string): MeasuredPair {
  const [, , share = '', tied = ''] = rowOf([strong, weak], 4)
  return { p: Number.parseFloat(share), tied: Number(tied) }
}

/** Returns the share of the box that a program covers. */
export const measuredCover = (name: string): number => Number(rowOf([name], 3)[1])
