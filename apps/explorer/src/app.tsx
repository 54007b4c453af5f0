import { type JSX, render } from 'preact'
import { useEffect, useMemo, useReducer, useRef, useState } from 'preact/hooks'
import { type Route, routeOf } from './address.ts'
import { type AppState, addNews, duelsIn, EMPTY_STATE, isValidator } from './app-state.ts'
import type { Ask, Feed, Heard } from './feed.ts'
import type { NamedNetwork } from './network-file.ts'
import { asOfText, nameIn, type Page } from './page.ts'
import { LinkWarning, ReadingStrip, SourceBar } from './views/reading-strip.tsx'
import type { View } from './views/view.tsx'
import { shortOf } from './visible.ts'

/** As they stand in index.html too, to be seen before any script runs. */
const TABS = [
  ['#/', 'Race'],
  ['#/miners', 'Miners'],
  ['#/validators', 'Validators'],
] as const

interface AppProps extends Pick<Feed, 'listen'> {
  readonly network: NamedNetwork | undefined
  /** Why no network is named. */
  readonly refusal: string | undefined
  readonly ask: Ask
}

/** Shows the whole page in the place of what index.html shows before. */
export function showApp(props: AppProps): void {
  const root = document.getElementById('app')
  if (root !== null) render(<App {...props} />, root)
}

function App({ network, refusal, ...reader }: AppProps): JSX.Element {
  const route = useRoute()
  const { page, read, soFar } = useReader(reader, network)
  const { state } = page
  const main = useRef<HTMLElement>(null)
  const place = JSON.stringify(route)
  const first = useRef(place)
  useEffect(() => {
    if (first.current === place) return
    first.current = ''
    main.current?.focus()
    scrollTo(0, history.state ?? 0)
  }, [place])
  useEffect(keepPlaces, [])
  useEffect(() => {
    document.title = titleOf(route, state)
  }, [place, state])
  const Shown = useViews()
  // Progress alone draws no view anew.
  const view = useMemo(
    () => Shown && <Shown key={place} route={route} page={page} />,
    [place, page, Shown],
  )
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
      </header>
      {network?.isByLink && <LinkWarning own={network.own} />}
      <ReadingStrip state={state} {...{ read, soFar, network, refusal }} />
      <main ref={main} tabIndex={-1}>
        {view}
      </main>
      {network && <SourceBar network={network} beginning={state.beginning} />}
    </>
  )
}

/** The history keeps how far down its reader was at the last click: Back leads there. */
function keepPlaces(): void {
  history.scrollRestoration = 'manual'
  addEventListener('click', () => history.replaceState(scrollY, ''), true)
}

const isAt = (href: string, { view }: Route): boolean =>
  href === (view === 'race' ? '#/' : `#/${view}`)

/** The views, which are loaded once the page itself is seen. */
function useViews(): typeof View | undefined {
  const [views, setViews] = useState<{ readonly View: typeof View }>()
  useEffect(() => {
    import('./views/view.tsx').then((loaded) => setTimeout(() => setViews(loaded)))
  }, [])
  return views?.View
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

interface PageReading extends Omit<Heard, 'news'> {
  readonly state: AppState
}

const addHeard = ({ state }: PageReading, { news, read, soFar }: Heard): PageReading => ({
  state: addNews(state, news),
  read,
  soFar,
})

function useReader(
  { ask, listen }: Pick<AppProps, 'ask' | 'listen'>,
  network: NamedNetwork | undefined,
) {
  const state = { ...EMPTY_STATE, file: network?.file }
  const start = { state, read: 0, soFar: { files: 0, challenges: 0 } }
  const [reading, show] = useReducer(addHeard, start)
  useEffect(() => listen(show), [])
  const page: Page = useMemo(() => ({ state: reading.state, ask }), [reading.state])
  return { ...reading, page }
}

const TITLES = {
  miners: 'Miners',
  validators: 'Validators',
  nowhere: 'No such view',
} as const

/** The title of the window. */
export const titleOf = (route: Route, state: AppState): string =>
  `${viewTitle(route, state)} · Affine explorer`

function viewTitle(route: Route, state: AppState): string {
  const nameOf = nameIn(state)
  switch (route.view) {
    case 'race': {
      const champion = state.epochs.at(-1)?.heir?.hotkey
      return champion === undefined
        ? 'The race'
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
    case 'sample':
      return `Challenge in line ${route.line} of block ${shortOf(route.block)}`
    default:
      return TITLES[route.view]
  }
}
