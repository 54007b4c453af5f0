import type { Problem } from './narrate.ts'

/** When a problem was said, how long it is not said again, and how often it came since. */
interface Said {
  readonly at: number
  readonly pauseMs: number
  readonly unsaid: number
}

const SHORTEST_MS = 10_000
const LONGEST_MS = 3_600_000
/** Of kinds of problems that are remembered. */
const MOST_KINDS = 100

/**
 * A problem that a validator meets at every block is said at once, and again after pauses that
 * double, from ten seconds to an hour. Texts that differ only in numbers and hashes are the same
 * problem; but of miners, which differ in their hotkeys and ports, and whose faults do in a status.
 * The function returns how often it came since it was last said, or undefined if it is not to be
 * said now. One that stayed away for twice its pause begins anew.
 */
export function repeatedProblems(now: () => number): (problem: Problem) => number | undefined {
  const known = new Map<string, Said>()
  return ({ what, error }) => {
    const kind = kindOf(`${what}: ${error.message}`)
    const said = known.get(kind)
    const at = now()
    known.delete(kind)
    if (said !== undefined && at - said.at < said.pauseMs) {
      known.set(kind, { ...said, unsaid: said.unsaid + 1 })
      return undefined
    }
    const isNew = said === undefined || at - said.at > 3 * said.pauseMs
    const pauseMs = isNew ? SHORTEST_MS : Math.min(2 * said.pauseMs, LONGEST_MS)
    known.set(kind, { at, pauseMs, unsaid: 0 })
    for (const old of [...known.keys()].slice(0, -MOST_KINDS)) known.delete(old)
    return isNew ? 0 : said.unsaid
  }
}

function kindOf(text: string): string {
  if (text.startsWith('miner ')) return text
  return text.replace(/[0-9A-Za-z]{40,}|\d+/g, '#')
}
