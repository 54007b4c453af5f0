import { percent, throneTexts } from '@affine/report/sentences'
import type { JSX } from 'preact'
import { linkTo } from '../address.ts'
import { duelsIn, spanText } from '../app-state.ts'
import { nameIn, type StateProps } from '../page.ts'
import { asOfText } from '../reading.ts'
import { Key } from './key.tsx'
import { TitledTable } from './wide.tsx'

/** Every duel read, the last first. */
export function DuelsTable({ state }: StateProps): JSX.Element {
  const nameOf = nameIn(state)
  const rows = [...duelsIn(state)].reverse().map(({ duel, epochs, end }) => ({
    key: duel.id,
    cells: [
      <a href={linkTo.duel(duel.id)}>{spanText({ epochs })}</a>,
      <Key state={state} hotkey={duel.contender.hotkey} />,
      <Key state={state} hotkey={duel.champion.hotkey} />,
      percent(duel.ratio),
      end ? throneTexts(end, nameOf).join('. ') : `goes on${asOfText(state)}`,
    ],
  }))
  return (
    <TitledTable
      title="Duels"
      columns={['duel', 'contender', 'champion', 'to beat', 'outcome']}
      rows={rows}
    />
  )
}
