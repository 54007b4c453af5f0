import type { Forfeits } from '../miner-stats.ts'

const WAYS: Readonly<Record<string, string>> = {
  'no-reply': 'no reply',
  oversize: 'too long',
  unreadable: 'no answer on the last line',
  illegal: 'illegal',
}

/** A way to forfeit a challenge, as `forfeitOf` names it, in words. */
export const forfeitText = (way: string): string => WAYS[way] ?? way

/** Forfeits in words, as in "3 illegal, 1 too long"; empty without one. */
export const forfeitsText = (forfeits: Forfeits): string =>
  Object.entries(forfeits)
    .map(([way, count]) => `${count} ${forfeitText(way)}`)
    .join(', ')
