import type { Route } from './address.ts'
import { type AppState, duelsIn, isValidator } from './app-state.ts'
import { nameIn } from './page.ts'
import { asOfText } from './reading.ts'
import { shortOf } from './visible.ts'

const TITLES = {
  miners: 'Miners',
  validators: 'Validators',
  play: 'Beat the champion',
  nowhere: 'No such view',
} as const

/** The title of the window. */
export const titleOf = (route: Route, state: AppState): string =>
  `${viewTitle(route, state)} · Affine explorer`

function viewTitle(route: Route, state: AppState): string {
  const nameOf = nameIn(state)
  switch (route.view) {
    case 'throne': {
      const champion = state.epochs.at(-1)?.heir?.hotkey
      return champion === undefined
        ? 'The throne'
        : `${nameOf(champion)} has the throne${asOfText(state)}`
    }
    case 'duel': {
      const duel = duelsIn(state).find(({ duel: { id } }) => id === route.id)?.duel
      if (duel === undefined) return `Duel ${shortOf(route.id)}`
      return `${nameOf(duel.contender.hotkey)} against ${nameOf(duel.champion.hotkey)}`
    }
    case 'miner':
    case 'validator':
      return `${nameOf(route.id)}, ${isValidator(state, route.id) ? 'validator' : 'miner'}`
    case 'challenge':
      return `Challenge ${shortOf(route.id)}`
    case 'sample':
      return `Proof of line ${route.line} of block ${shortOf(route.block)}`
    default:
      return TITLES[route.view]
  }
}
