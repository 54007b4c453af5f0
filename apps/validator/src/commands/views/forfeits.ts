/** How often challenges were forfeited, by the names that `forfeitOf` gives the ways. */
export type Forfeits = Readonly<Record<string, number>>

const WORDS: Readonly<Record<string, string>> = {
  'no-reply': 'no reply',
  oversize: 'too long',
  unreadable: 'no answer on the last line',
  illegal: 'illegal',
}

/** Forfeits in words, as in "3 illegal, 1 too long"; empty without one. */
export function forfeitsText(forfeits: Forfeits): string {
  const ways = Object.entries(forfeits).map(([way, count]) => `${count} ${WORDS[way] ?? way}`)
  return ways.join(', ')
}
