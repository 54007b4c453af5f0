import type { JSX } from 'preact'
import type { Route } from '../address.ts'
import { duelsOf, isValidator } from '../app-state.ts'
import type { Page } from '../page.ts'
import { DuelView } from './duel-view.tsx'
import { MinersView, MinerView } from './miners-view.tsx'
import { PlayView } from './play-view.tsx'
import { ChallengeView, SampleView } from './sample-view.tsx'
import { ThroneView } from './throne-view.tsx'
import { ValidatorsView, ValidatorView } from './validators-view.tsx'

/** What a route shows. */
export function View({ route, page }: { readonly route: Route; readonly page: Page }): JSX.Element {
  switch (route.view) {
    case 'throne':
      return <ThroneView {...page} />
    case 'duel':
      return <DuelView {...page} id={route.id} />
    case 'miner':
    case 'validator':
      return <HotkeyView {...page} hotkey={route.id} />
    case 'sample':
      return <SampleView {...page} block={route.block} line={route.line} />
    case 'challenge':
      return <ChallengeView {...page} id={route.id} />
    case 'miners':
      return <MinersView {...page} />
    case 'validators':
      return <ValidatorsView {...page} />
    case 'play':
      return <PlayView {...page} start={route.env} />
    case 'nowhere':
      return <h1>There is no such view</h1>
  }
}

/** A link may take one for the other: what a hotkey did decides. */
function HotkeyView(props: Page & { readonly hotkey: string }): JSX.Element {
  const { state, hotkey } = props
  if (isValidator(state, hotkey) && duelsOf(state, hotkey).length === 0)
    return <ValidatorView {...props} />
  return <MinerView {...props} />
}
