import { percent } from '@affine/report/sentences'
import type { JSX } from 'preact'
import { countLanes, trustIn } from '../lanes.ts'
import type { Page, StateProps } from '../page.ts'
import { absentText } from '../reading.ts'
import { BucketTable } from './bucket-table.tsx'
import { Findings } from './findings.tsx'
import { Key } from './key.tsx'
import { Wide } from './wide.tsx'

/** Validators: trust, lanes, what speaks against them, buckets, and what did not hold. */
export function ValidatorsView({ state }: Page): JSX.Element {
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
      <p>
        A lie is proved where a validator signed evidence that does not hold, or attested a wrong
        result. A lane that is set aside is only suspect: it may be bad luck once. In that
        environment it counts neither for the duel nor for trust.
      </p>
      <Lanes state={state} />
      <section>
        <h2>What did not hold</h2>
        <Findings epochs={epochs} />
        {epochs.every(({ flaws, warnings }) => flaws.length + warnings.length === 0) && (
          <p>{absentText(state, 'Everything held: all attested roots are right.')}</p>
        )}
      </section>
      <BucketTable state={state} health={state.health} />
    </>
  )
}

/** The validators against which something speaks come first, and are marked. */
function Lanes({ state }: StateProps): JSX.Element {
  const rows = countLanes(state).map(({ hotkey, proved, due, sealed, accepted, aside }) => ({
    key: hotkey,
    isBad: proved.length > 0 || aside > 0,
    cells: [
      <Key state={state} hotkey={hotkey} />,
      proved.join(', ') || 'none',
      percent(trustIn(state, hotkey)),
      due,
      sealed,
      accepted,
      aside,
    ],
  }))
  return (
    <Wide
      label="Validators"
      columns={['validator', 'proved lies', 'trust', 'due', 'sealed', 'accepted', 'set aside']}
      rows={rows}
    />
  )
}
