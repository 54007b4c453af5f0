import { percent } from '@affine/report/sentences'
import type { JSX } from 'preact'
import { TrustChart } from '../charts/trust-chart.tsx'
import { countLanes, trustIn } from '../lanes.ts'
import type { Page, StateProps } from '../page.ts'
import { absentText } from '../reading.ts'
import { BucketTable } from './bucket-table.tsx'
import { Copies } from './copies.tsx'
import { Findings } from './findings.tsx'
import { Key } from './key.tsx'
import { TitledTable } from './wide.tsx'

/** Validators: trust, lanes, buckets, and what did not hold. */
export function ValidatorsView(page: Page): JSX.Element {
  const { state } = page
  const { epochs } = state
  return (
    <>
      <h1>Validators</h1>
      <p>
        Each validator asks both miners of a duel, and publishes what they replied: its lane. A lane
        is sealed if its hash was on chain in time, accepted if enough validators found it whole,
        and set aside if it is too far from the others. Trust is the share of environments in which
        its lane was accepted; one that is set aside counts for nothing, an old one for less. A
        newcomer has 50 %.
      </p>
      {epochs.length > 0 && <TrustChart state={state} />}
      <Lanes state={state} />
      <section>
        <h2>What did not hold</h2>
        <Findings epochs={epochs} />
        {epochs.every(({ flaws, warnings }) => flaws.length + warnings.length === 0) && (
          <p>{absentText(state, 'Everything held: all attested roots are right.')}</p>
        )}
      </section>
      <Copies {...page} epochs={epochs} />
      <BucketTable state={state} health={state.health} />
    </>
  )
}

function Lanes({ state }: StateProps): JSX.Element {
  const rows = countLanes(state).map(({ hotkey, due, sealed, accepted, aside }) => ({
    key: hotkey,
    isBad: aside > 0,
    cells: [
      <Key state={state} hotkey={hotkey} />,
      percent(trustIn(state, hotkey)),
      due,
      sealed,
      accepted,
      aside,
    ],
  }))
  return (
    <TitledTable
      title="Lanes"
      columns={['validator', 'trust', 'due', 'sealed', 'accepted', 'set aside']}
      rows={rows}
    />
  )
}
