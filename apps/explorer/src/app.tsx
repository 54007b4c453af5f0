import { render } from 'preact'
import { useEffect, useReducer, useRef, useState } from 'preact/hooks'
import { parseRoute, type Route } from './address.ts'
import { addFindings, EMPTY_STATE, findDuels, isValidator } from './app-state.ts'
import type { Feed } from './feed.ts'
import type { NetworkFile } from './network-file.ts'
import type { Page } from './page.ts'
import { ChallengeView } from './views/challenge-view.tsx'
import { ContenderView } from './views/contender-view.tsx'
import { MinersView, MinerView } from './views/miners-view.tsx'
import { Heading, type HotkeyProps } from './views/parts.tsx'
import { type ProofFileProps, ProofFileView } from './views/proof-view.tsx'
import { RaceView } from './views/race-view.tsx'
import { ReadingStrip, SourceBar } from './views/reading-strip.tsx'
import { ValidatorsView } from './views/validators-view.tsx'

interface AppProps extends Feed {
  /** Undefined if no network is named, or it is refused: the feed then reports the reason. */
  readonly network: NetworkFile | undefined
}

/** Renders the page below the header of index.html. */
export function showApp(props: AppProps): void {
  render(<App {...props} />, document.getElementById('app') ?? document.body)
}

function App({ network, ask, listen }: AppProps) {
  const route = useRoute()
  const [file, choose] = useDroppedFile()
  const [state, add] = useReducer(addFindings, { ...EMPTY_STATE, file: network })
  useEffect(() => listen(add), [])
  const main = useRef<HTMLElement>(null)
  const place = JSON.stringify(route)
  const first = useRef(place)
  useEffect(() => {
    markTab(route)
    if (first.current === place) return
    first.current = ''
    main.current?.focus()
    scrollTo(0, history.state ?? 0)
  }, [place])
  useEffect(keepPlaces, [])
  return (
    <>
      <ReadingStrip state={state} />
      <main ref={main} tabIndex={-1}>
        <View key={place} {...{ route, state, ask, file, choose }} />
      </main>
      <SourceBar state={state} />
    </>
  )
}

/** Stores the scroll position in the history at each click, for Back. */
function keepPlaces(): void {
  history.scrollRestoration = 'manual'
  addEventListener('click', () => history.replaceState(scrollY, ''), true)
}

function markTab({ view }: Route): void {
  const href = view === 'race' ? '#/' : `#/${view}`
  for (const tab of document.querySelectorAll('nav a'))
    tab.ariaCurrent = tab.getAttribute('href') === href ? 'page' : null
}

function useRoute(): Route {
  const [route, setRoute] = useState(() => parseRoute(location.hash))
  useEffect(() => addEventListener('hashchange', () => setRoute(parseRoute(location.hash))), [])
  return route
}

/**
 * Returns the proof file, and a function that opens another file and its view. Also opens a file
 * that the reader drops on any view.
 */
function useDroppedFile() {
  const [file, setFile] = useState<File>()
  const choose = (chosen: File | undefined): void => {
    if (chosen === undefined) return
    setFile(chosen)
    location.hash = '#/proof'
  }
  useEffect(() => {
    addEventListener('dragover', (event) => event.preventDefault())
    addEventListener('drop', (event) => {
      event.preventDefault()
      choose(event.dataTransfer?.files[0])
    })
  }, [])
  return [file, choose] as const
}

function View({ route, ...page }: ProofFileProps & { readonly route: Route }) {
  switch (route.view) {
    case 'race':
      return <RaceView {...page} />
    case 'duel':
      return <ContenderView {...page} id={route.id} />
    case 'hotkey':
      return <HotkeyView {...page} hotkey={route.id} />
    case 'sample':
      return <ChallengeView {...page} block={route.block} line={route.line} />
    case 'miners':
      return <MinersView {...page} />
    case 'validators':
      return <ValidatorsView {...page} />
    case 'proof':
      return <ProofFileView {...page} />
    case 'nowhere':
      return <Heading>This view does not exist</Heading>
  }
}

/** Shows a validator, unless it was in a duel; otherwise a miner. */
function HotkeyView(props: Page & HotkeyProps) {
  const { state, hotkey } = props
  if (isValidator(state, hotkey) && findDuels(state, hotkey).length === 0)
    return <ValidatorsView {...props} of={hotkey} />
  return <MinerView {...props} />
}
