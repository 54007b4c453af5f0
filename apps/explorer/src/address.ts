import type { DuelTurn } from '@affine/report'

/** Where in the page a reader is: a view, and what it shows. */
export type Route =
  | { readonly view: (typeof PLAIN)[number] | 'throne' | 'nowhere' }
  | { readonly view: 'duel' | 'miner' | 'validator' | 'challenge'; readonly id: string }
  | { readonly view: 'sample'; readonly block: string; readonly line: number }
  | { readonly view: 'play'; readonly env: string | undefined }

const PLAIN = ['miners', 'validators'] as const
const HASH = /^[0-9a-f]{64}$/
const BASE58 = /^[1-9A-HJ-NP-Za-km-z]{32,48}$/
const EPOCH = /^[0-9]{1,10}$/
/** A block has fewer lines. */
const LINE = /^[0-9]{1,4}$/
const ENV = /^[a-z0-9_-]{1,40}@[0-9.]{1,20}$/

/** The route that a URL's fragment names. Never throws, whatever it is. */
export function routeOf(fragment: string): Route {
  const [view = '', first = '', second = '', ...rest] = fragment.replace(/^#?\/?/, '').split('/')
  if (rest.length > 0) return { view: 'nowhere' }
  if (view === 'sample' && HASH.test(first) && LINE.test(second))
    return { view, block: first, line: Number(second) }
  if (view === 'duel' && EPOCH.test(first) && BASE58.test(second))
    return { view, id: `${first}/${second}` }
  if (second !== '') return { view: 'nowhere' }
  return first === '' ? wholeRoute(view) : partRoute(view, first)
}

function wholeRoute(view: string): Route {
  if (view === '') return { view: 'throne' }
  if (view === 'play') return { view, env: undefined }
  return { view: PLAIN.find((name) => name === view) ?? 'nowhere' }
}

function partRoute(view: string, part: string): Route {
  if (view === 'play' && ENV.test(part)) return { view, env: part }
  if (view === 'miner' || view === 'validator' || view === 'challenge')
    return BASE58.test(part) ? { view, id: part } : { view: 'nowhere' }
  return { view: 'nowhere' }
}

/** By which a duel is known: a contender has one that starts in an epoch. */
export const duelId = ({ start, contender }: Pick<DuelTurn, 'start' | 'contender'>): string =>
  `${start}/${contender.hotkey}`

/** Links to views. */
export const linkTo = {
  duel: (id: string): string => `#/duel/${id}`,
  miner: (hotkey: string): string => `#/miner/${hotkey}`,
  validator: (hotkey: string): string => `#/validator/${hotkey}`,
  challenge: (id: string): string => `#/challenge/${id}`,
  sample: ({ block, line }: { readonly block: string; readonly line: number }): string =>
    `#/sample/${block}/${line}`,
  play: (env: string): string => `#/play/${env}`,
}
