/** Where in the page a reader is: a view, and what it shows. */
export type Route =
  | { readonly view: 'throne' | 'validators' | 'rule' | 'play' | 'nowhere' }
  | { readonly view: 'duel' | 'miner' | 'challenge'; readonly id: string }
  | { readonly view: 'sample'; readonly block: string; readonly line: number }

const PLAIN = ['validators', 'rule', 'play'] as const
const HASH = /^[0-9a-f]{64}$/
const BASE58 = /^[1-9A-HJ-NP-Za-km-z]{32,48}$/
/** A block has fewer lines. */
const LINE = /^[0-9]{1,3}$/

/** The route that a URL's fragment names. Never throws, whatever it is. */
export function routeOf(fragment: string): Route {
  const [view = '', first = '', second = '', ...rest] = fragment.replace(/^#?\/?/, '').split('/')
  if (rest.length > 0) return { view: 'nowhere' }
  if (view === '') return { view: 'throne' }
  const plain = PLAIN.find((name) => name === view)
  if (plain !== undefined && first === '') return { view: plain }
  if (view === 'sample' && HASH.test(first) && LINE.test(second))
    return { view, block: first, line: Number(second) }
  if (second !== '') return { view: 'nowhere' }
  if (view === 'duel' && HASH.test(first)) return { view, id: first }
  if ((view === 'miner' || view === 'challenge') && BASE58.test(first)) return { view, id: first }
  return { view: 'nowhere' }
}

/** A hotkey has 48 characters, a challenge id at most 44. Protocol §1.4. */
const HOTKEY = /^5[1-9A-HJ-NP-Za-km-z]{47}$/
const CHALLENGE = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/

/** The view of what was pasted: a hotkey, a challenge id, or a duel's; undefined for none. */
export function fragmentFor(pasted: string): string | undefined {
  const text = pasted.trim()
  if (HOTKEY.test(text)) return linkTo.miner(text)
  if (CHALLENGE.test(text)) return linkTo.challenge(text)
  return HASH.test(text) ? linkTo.duel(text) : undefined
}

/** Links to views. */
export const linkTo = {
  duel: (id: string): string => `#/duel/${id}`,
  miner: (hotkey: string): string => `#/miner/${hotkey}`,
  challenge: (id: string): string => `#/challenge/${id}`,
  sample: ({ block, line }: { readonly block: string; readonly line: number }): string =>
    `#/sample/${block}/${line}`,
}
