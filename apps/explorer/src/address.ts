import type { DuelTurn } from '@affine/report'

/** Where in the page a reader is: a view, and what it shows. */
export type Route =
  | { readonly view: 'race' | 'miners' | 'validators' | 'nowhere' }
  | { readonly view: 'duel' | 'miner' | 'validator'; readonly id: string }
  | { readonly view: 'sample'; readonly block: string; readonly line: number }

const HASH = /^[0-9a-f]{64}$/
const BASE58 = /^[1-9A-HJ-NP-Za-km-z]{32,48}$/
const EPOCH = /^[0-9]{1,10}$/
/** A block has fewer lines. */
const LINE = /^[0-9]{1,4}$/

/** The route that a URL's fragment names. Never throws, whatever it is. */
export function routeOf(fragment: string): Route {
  const [view = '', first = '', second = '', ...rest] = fragment.replace(/^#?\/?/, '').split('/')
  if (rest.length > 0) return { view: 'nowhere' }
  if (view === 'sample' && HASH.test(first) && LINE.test(second))
    return { view, block: first, line: Number(second) }
  if (view === 'duel' && EPOCH.test(first) && BASE58.test(second))
    return { view, id: `${first}/${second}` }
  return second === '' ? plainRoute(view, first) : { view: 'nowhere' }
}

function plainRoute(view: string, id: string): Route {
  if ((view === 'miner' || view === 'validator') && BASE58.test(id)) return { view, id }
  if (id !== '') return { view: 'nowhere' }
  if (view === '') return { view: 'race' }
  return { view: view === 'miners' || view === 'validators' ? view : 'nowhere' }
}

/** By which a duel is known: a contender has one that starts in an epoch. */
export const duelId = ({ start, contender }: Pick<DuelTurn, 'start' | 'contender'>): string =>
  `${start}/${contender.hotkey}`

/** Links to views. */
export const linkTo = {
  duel: (id: string): string => `#/duel/${id}`,
  miner: (hotkey: string): string => `#/miner/${hotkey}`,
  validator: (hotkey: string): string => `#/validator/${hotkey}`,
  sample: ({ block, line }: { readonly block: string; readonly line: number }): string =>
    `#/sample/${block}/${line}`,
}
