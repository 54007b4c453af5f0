import type { JSX } from 'preact'
import { useEffect, useMemo, useReducer, useRef, useState } from 'preact/hooks'
import { type Route, routeOf } from './address.ts'
import { type AppState, addNews, EMPTY_STATE } from './app-state.ts'
import { startReader } from './ask.ts'
import { type Heard, startFeed } from './feed.ts'
import type { NamedNetwork, NetworkFile } from './network-file.ts'
import type { Page } from './page.ts'
import { ChallengeView } from './views/challenge-view.tsx'
import { DuelView } from './views/duel-view.tsx'
import { FindForm } from './views/find-form.tsx'
import { MinerView } from './views/miner-view.tsx'
import { PlayView } from './views/play-view.tsx'
import { ReadingStrip } from './views/reading-strip.tsx'
import { RuleView } from './views/rule-view.tsx'
import { SampleView } from './views/sample-view.tsx'
import { SourceBar } from './views/source-bar.tsx'
import { ThroneView } from './views/throne-view.tsx'
import { ValidatorsView } from './views/validators-view.tsx'

const TABS = [
  ['#/', 'Throne'],
  ['#/validators', 'Validators'],
  ['#/play', 'Play'],
  ['#/rule', 'The rule'],
] as const

interface AppProps {
  readonly network: NamedNetwork | undefined
  /** Why no network is named. */
  readonly refusal: string | undefined
}

/** The whole page. */
export function App({ network, refusal }: AppProps): JSX.Element {
  const route = useRoute()
  const { page, read } = useReader(network?.file)
  const { state } = page
  const main = useRef<HTMLElement>(null)
  const place = JSON.stringify(route)
  const first = useRef(place)
  useEffect(() => {
    if (first.current === place) return
    first.current = ''
    main.current?.focus()
    scrollTo(0, 0)
  }, [place])
  // Progress alone draws no view anew.
  const view = useMemo(() => <View route={route} page={page} />, [place, page])
  return (
    <>
      <header>
        <a class="skip" href={location.hash || '#/'} onClick={() => main.current?.focus()}>
          Skip to the content
        </a>
        <a class="brand" href="#/">
          <img src="mark.svg" alt="" width="28" height="28" /> Affine explorer
        </a>
        <nav aria-label="Views">
          {TABS.map(([href, name]) => (
            <a key={href} href={href} aria-current={isAt(href, route) ? 'page' : undefined}>
              {name}
            </a>
          ))}
        </nav>
        <FindForm />
      </header>
      {network && <SourceBar network={network} beginning={state.beginning} />}
      <ReadingStrip state={state} read={read} network={network} refusal={refusal} />
      <main ref={main} tabIndex={-1}>
        {view}
      </main>
    </>
  )
}

const isAt = (href: string, { view }: Route): boolean =>
  href === (view === 'throne' ? '#/' : `#/${view}`)

function View({ route, page }: { readonly route: Route; readonly page: Page }): JSX.Element {
  switch (route.view) {
    case 'throne':
      return <ThroneView {...page} />
    case 'duel':
      return <DuelView {...page} id={route.id} />
    case 'miner':
      return <MinerView {...page} hotkey={route.id} />
    case 'sample':
      return <SampleView {...page} block={route.block} line={route.line} />
    case 'challenge':
      return <ChallengeView key={route.id} {...page} id={route.id} />
    case 'validators':
      return <ValidatorsView {...page} />
    case 'rule':
      return <RuleView {...page} />
    case 'play':
      return <PlayView {...page} />
    case 'nowhere':
      return <h1>There is no such view</h1>
  }
}

function useRoute(): Route {
  const [route, setRoute] = useState(() => routeOf(location.hash))
  useEffect(() => {
    const look = (): void => setRoute(routeOf(location.hash))
    addEventListener('hashchange', look)
    return () => removeEventListener('hashchange', look)
  }, [])
  return route
}

interface PageReading {
  readonly state: AppState
  readonly read: number
}

const addHeard = ({ state }: PageReading, { news, read }: Heard): PageReading => ({
  state: addNews(state, news),
  read,
})

function useReader(file: NetworkFile | undefined): { readonly page: Page; readonly read: number } {
  const [{ state, read }, show] = useReducer(addHeard, { state: { ...EMPTY_STATE, file }, read: 0 })
  const [hear] = useState(() => startFeed(show))
  const [ask] = useState(() => startReader(file, hear))
  const page = useMemo(() => ({ state, ask, hear }), [state])
  return { page, read }
}
