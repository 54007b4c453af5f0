import { linkTo } from './address.ts'
import { type AppState, duelsIn, isValidator } from './app-state.ts'
import { nameIn } from './page.ts'

/** What can be found: where it is, and how it is called. */
export interface Findable {
  /** The hotkey, or of a duel what `duelId` gives. */
  readonly id: string
  readonly name: string
  /** What it is, as in "miner, uid 7". */
  readonly what: string
  readonly link: string
}

/** A hotkey has 48 characters, a challenge id at most 44. Protocol §1.4. */
const HOTKEY = /^5[1-9A-HJ-NP-Za-km-z]{47}$/
const CHALLENGE = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/

/** Suggestions are for reading. */
const MOST = 8

/** Everyone that is known, and every duel. */
export function findablesIn(state: AppState): readonly Findable[] {
  const uids = new Map(state.beginning?.neurons.map(({ uid, hotkey }) => [hotkey, uid]))
  const nameOf = nameIn(state)
  const duels = duelsIn(state)
  const keys = [
    ...uids.keys(),
    ...Object.keys(state.file?.names ?? {}),
    ...duels.flatMap(({ duel }) => [duel.champion.hotkey, duel.contender.hotkey]),
    ...Object.keys(state.epochs.at(-1)?.trust ?? {}),
  ]
  const found = [...new Set(keys)].map((id): Findable => {
    const kind = isValidator(state, id) ? 'validator' : 'miner'
    const uid = uids.get(id)
    const what = uid === undefined ? kind : `${kind}, uid ${uid}`
    return { id, name: nameOf(id), what, link: linkTo[kind](id) }
  })
  const fought = duels.map(({ duel: { id, start, champion, contender } }): Findable => {
    const name = `${nameOf(contender.hotkey)} against ${nameOf(champion.hotkey)}`
    return { id, name, what: `duel, from epoch ${start}`, link: linkTo.duel(id) }
  })
  return [...found, ...fought]
}

/** What a text may mean, the best first: a uid, a name, or the beginning of a name or an id. */
export function suggestionsFor(text: string, known: readonly Findable[]): readonly Findable[] {
  if (text === '') return []
  return [0, 1, 2, 3]
    .flatMap((rank) => known.filter((each) => rankOf(each, text) === rank))
    .slice(0, MOST)
}

/** How well a text fits: 0 means this alone, 4 not at all. A duel begins with a miner's name. */
function rankOf({ id, name, what }: Findable, text: string): number {
  const [asked, called] = [text.toLowerCase(), name.toLowerCase()]
  if (id.toLowerCase() === asked || called === asked) return 0
  // As a suggestion prints it too: "alice, miner, uid 7".
  if (what.endsWith(` uid ${asked.replace(/^(.*, )?uid /, '')}`)) return 1
  const begins = called.startsWith(asked) || id.toLowerCase().startsWith(asked)
  if (begins && !id.includes('/')) return 2
  return begins || called.includes(asked) ? 3 : 4
}

/**
 * The view that a text means: of an id, which needs not be known, or of what is called so;
 * undefined where it means nothing, or several things.
 */
export function fragmentFor(text: string, known: readonly Findable[]): string | undefined {
  const asked = text.trim()
  const [first, second] = suggestionsFor(asked, known)
  if (first && (!second || rankOf(first, asked) < rankOf(second, asked))) return first.link
  if (HOTKEY.test(asked)) return linkTo.miner(asked)
  if (CHALLENGE.test(asked)) return linkTo.challenge(asked)
  return undefined
}

/** Why a text means no view. */
export const lostText = (text: string, known: readonly Findable[]): string =>
  suggestionsFor(text.trim(), known).length > 0
    ? 'Several things are called so here: type more.'
    : 'Nothing is called so here.'
