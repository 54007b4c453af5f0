import { percent } from '@affine/report/sentences'
import type { JSX } from 'preact'
import { chargesIn, trustIn } from '../lanes.ts'
import type { Page } from '../page.ts'
import { absentText } from '../reading.ts'
import { Key } from './key.tsx'
import { Wide } from './wide.tsx'

/** Validators that were caught, and those whose results are odd. */
export function LiarsView({ state }: Page): JSX.Element {
  const charges = chargesIn(state)
  const rows = charges.map(({ hotkey, proved, suspect, accepted, due }) => ({
    key: hotkey,
    isBad: proved.length > 0,
    cells: [
      <Key state={state} hotkey={hotkey} />,
      proved.join(', ') || 'nothing',
      suspect.join(', ') || 'nothing',
      `${accepted} of ${due}`,
      percent(trustIn(state, hotkey)),
    ],
  }))
  return (
    <>
      <h1>Liars</h1>
      <p>
        A lie is proved where a validator signed evidence that does not hold, or attested a wrong
        result. Results too far from those of the others are only suspect: they may be bad luck
        once. In that environment they count neither for the duel nor for trust.
      </p>
      {charges.length > 0 && (
        <Wide
          label="Liars"
          columns={['validator', 'proved', 'suspect', 'lanes accepted', 'trust']}
          rows={rows}
        />
      )}
      {charges.length === 0 && <p>{absentText(state, 'Nobody was caught.')}</p>}
    </>
  )
}
