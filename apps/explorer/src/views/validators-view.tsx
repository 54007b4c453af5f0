import type { LaneFacts } from '@affine/report'
import type { JSX } from 'preact'
import type { AppState } from '../app-state.ts'
import { TrustChart } from '../charts/trust-chart.tsx'
import type { Page, StateProps } from '../page.ts'
import { shareOf, visibleLine } from '../visible.ts'
import { Copies } from './copies.tsx'
import { Name } from './key.tsx'
import { Wide } from './wide.tsx'

/** Validators: trust, lanes, buckets, and what did not hold. */
export function ValidatorsView(page: Page): JSX.Element {
  const { state } = page
  return (
    <>
      <h1>Validators</h1>
      <Findings state={state} />
      <Copies {...page} epochs={state.epochs} />
      <section>
        <h2>Trust over time</h2>
        <p>
          The share of a validator’s lanes that were good; older lanes count less. A validator
          without a record has one half.
        </p>
        {state.epochs.length > 0 && <TrustChart state={state} />}
      </section>
      <Lanes state={state} />
      <BucketTable state={state} />
    </>
  )
}

function Findings({ state: { epochs } }: StateProps): JSX.Element {
  const found = epochs.flatMap(({ flaws, warnings }) => [
    ...flaws.map((flaw) => ({ ...flaw, mark: '✘' })),
    ...warnings.map((warning) => ({ ...warning, mark: '!' })),
  ])
  return (
    <section>
      <h2>What did not hold</h2>
      {found.length === 0 && (
        <p>
          {epochs.length > 0
            ? 'Everything held so far, in one copy of each block: all attested roots are right.'
            : 'Nothing was recomputed yet.'}
        </p>
      )}
      <ul class="findings">
        {found.slice(-200).map(({ mark, epoch, validator, code, detail }) => (
          <li key={`${epoch}${validator}${code}${detail}`}>
            {mark} epoch {epoch}, {visibleLine(validator)}: <code>{code}</code>{' '}
            {visibleLine(detail, 400)}
          </li>
        ))}
      </ul>
    </section>
  )
}

/** How often the lanes of a validator were due, sealed, accepted and set aside. */
function countLanes({ epochs }: AppState) {
  const lanes = new Map<string, LaneFacts[]>()
  for (const lane of epochs.flatMap((epoch) => epoch.lanes)) {
    const own = lanes.get(lane.validator) ?? []
    lanes.set(lane.validator, own)
    own.push(lane)
  }
  return [...lanes].map(([hotkey, own]) => {
    const count = (is: (lane: LaneFacts) => boolean): number => own.filter(is).length
    const sealed = count((lane) => lane.sealed)
    const accepted = count((lane) => lane.accepted)
    const aside = count(({ setAside }) => setAside.length > 0)
    return { hotkey, due: own.length, sealed, accepted, aside }
  })
}

function Lanes({ state }: StateProps): JSX.Element {
  const trust = state.epochs.at(-1)?.trust ?? {}
  return (
    <section>
      <h2>Lanes</h2>
      <Wide
        label="Lanes of validators"
        columns={['validator', 'trust', 'due', 'sealed', 'accepted', 'set aside']}
      >
        {countLanes(state).map(({ hotkey, due, sealed, accepted, aside }) => (
          <tr key={hotkey} class={aside > 0 ? 'aside' : undefined}>
            <td>
              <Name state={state} hotkey={hotkey} />
            </td>
            <td>{shareOf(trust[hotkey] ?? 500_000)}</td>
            <td>{due}</td>
            <td>{sealed}</td>
            <td>{accepted}</td>
            <td>{aside}</td>
          </tr>
        ))}
      </Wide>
    </section>
  )
}

function BucketTable({ state }: StateProps): JSX.Element {
  return (
    <section>
      <h2>Buckets</h2>
      <Wide label="Buckets" columns={['of', 'announced', 'files read', 'MB', 'not there', 'state']}>
        {state.health.map(({ hotkey, announced, place, files, bytes, missing, silent }) => (
          <tr key={hotkey + announced} class={silent === undefined ? undefined : 'aside'}>
            <td>
              <Name state={state} hotkey={hotkey} />
            </td>
            <td class="long">{visibleLine(announced, 140)}</td>
            <td>{files}</td>
            <td>{(bytes / 1e6).toFixed(1)}</td>
            <td>{missing}</td>
            <td>{stateText({ place, silent, asked: files + missing })}</td>
          </tr>
        ))}
      </Wide>
    </section>
  )
}

interface BucketRow {
  readonly place: string | undefined
  readonly silent: string | undefined
  /** How often it answered. */
  readonly asked: number
}

function stateText({ place, silent, asked }: BucketRow): string {
  if (place === undefined) return 'a page cannot open its address'
  if (silent !== undefined) return `✘ ${visibleLine(silent)}; other copies were used`
  return asked > 0 ? '✔ answers' : 'was not asked'
}
