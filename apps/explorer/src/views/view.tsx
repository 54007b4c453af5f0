import type { JSX } from 'preact'
import type { Route } from '../address.ts'
import { duelsOf, isValidator } from '../app-state.ts'
import type { Page } from '../page.ts'
import { ChallengeView } from './challenge-view.tsx'
import { ContenderView } from './contender-view.tsx'
import { MinersView, MinerView } from './miners-view.tsx'
import { Heading } from './parts.tsx'
import { RaceView } from './race-view.tsx'
import { ValidatorsView, ValidatorView } from './validators-view.tsx'

/** What a route shows. */
export function View({ route, page }: { readonly route: Route; readonly page: Page }): JSX.Element {
  switch (route.view) {
    case 'race':
      return <RaceView {...page} />
    case 'duel':
      return <ContenderView {...page} id={route.id} />
    case 'miner':
    case 'validator':
      return <HotkeyView {...page} hotkey={route.id} />
    case 'sample':
      return <ChallengeView {...page} block={route.block} line={route.line} />
    case 'miners':
      return <MinersView {...page} />
    case 'validators':
      return <ValidatorsView {...page} />
    case 'nowhere':
      return <Heading>There is no such view</Heading>
  }
}

/** A link may take one for the other: what a hotkey did decides. */
function HotkeyView(props: Page & { readonly hotkey: string }): JSX.Element {
  const { state, hotkey } = props
  if (isValidator(state, hotkey) && duelsOf(state, hotkey).length === 0)
    return <ValidatorView {...props} />
  return <MinerView {...props} />
}
