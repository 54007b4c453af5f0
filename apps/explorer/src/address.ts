import type { DuelTurn } from '@affine/report'

/** A view, and its subject. */
export type Route =
  | { readonly view: 'race' | 'miners' | 'validators' | 'proof' | 'nowhere' }
  | { readonly view: 'duel' | 'hotkey'; readonly id: string }
  | { readonly view: 'sample'; readonly block: string; readonly line: number }

const HOTKEY = /^[1-9A-HJ-NP-Za-km-z]{32,48}$/
const DUEL = /^[0-9]{1,10}\/[1-9A-HJ-NP-Za-km-z]{32,48}$/
/** Lines of a block have at most four digits. */
const SAMPLE = /^[0-9a-f]{64}\/[0-9]{1,4}$/

/** Parses the fragment of a URL. Never throws. */
export function parseRoute(fragment: string): Route {
  const [, view = '', id = ''] = /^#?\/?([a-z]*)\/?(.*)$/s.exec(fragment) ?? []
  const [block = '', line] = id.split('/')
  if (view === 'sample' && SAMPLE.test(id)) return { view, block, line: Number(line) }
  if (view === 'duel' && DUEL.test(id)) return { view, id }
  if (view === 'hotkey' && HOTKEY.test(id)) return { view, id }
  if (id !== '') return { view: 'nowhere' }
  if (view === 'miners' || view === 'validators' || view === 'proof') return { view }
  return { view: view === '' ? 'race' : 'nowhere' }
}

/**
 * Returns the key of a duel. It is unique, because a contender starts at most one duel in an epoch.
 */
export const formatDuelId = ({ start, contender }: Pick<DuelTurn, 'start' | 'contender'>): string =>
  `${start}/${contender.hotkey}`

export const linkTo = {
  duel: (id: string): string => `#/duel/${id}`,
  hotkey: (hotkey: string): string => `#/hotkey/${hotkey}`,
  sample: ({ block, line }: { readonly block: string; readonly line: number }): string =>
    `#/sample/${block}/${line}`,
}
