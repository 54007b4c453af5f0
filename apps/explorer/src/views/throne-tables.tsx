import { throneTexts } from '@affine/report/sentences'
import type { JSX } from 'preact'
import { linkTo } from '../address.ts'
import { duelsIn } from '../app-state.ts'
import { nameIn, type StateProps } from '../page.ts'
import { shareOf } from '../visible.ts'
import { Key } from './key.tsx'
import { Wide } from './wide.tsx'

/** Every duel read, the last first. */
export function DuelsTable({ state }: StateProps): JSX.Element {
  const nameOf = nameIn(state)
  return (
    <section>
      <h2>Duels</h2>
      <Wide label="Duels" columns={['epochs', 'contender', 'champion', 'ratio', 'outcome']}>
        {[...duelsIn(state)].reverse().map(({ duel, epochs, end }) => (
          <tr key={duel.id}>
            <td>
              <a href={linkTo.duel(duel.id)}>
                {duel.start}–{epochs.at(-1)?.epoch}
              </a>
            </td>
            <td>
              <Key state={state} hotkey={duel.contender.hotkey} />
            </td>
            <td>
              <Key state={state} hotkey={duel.champion.hotkey} />
            </td>
            <td>{shareOf(duel.ratio)}</td>
            <td>{end ? throneTexts(end, nameOf).join('. ') : 'goes on'}</td>
          </tr>
        ))}
      </Wide>
    </section>
  )
}

/** Of a large subnet the first that wait, and a few of the others. */
const MOST_ROWS = 64

/** Every registered miner: those who wait, and why others do not. */
export function QueueTable({ state }: StateProps): JSX.Element {
  const { queue } = state
  return (
    <section>
      <h2>Miners that wait, and why others do not</h2>
      <Wide label="Miners that wait" columns={['uid', 'hotkey', 'committed at', 'it …']}>
        {queue?.slice(0, MOST_ROWS).map(({ uid, hotkey, block, why }) => (
          <tr key={uid}>
            <td>{uid}</td>
            <td>
              <Key state={state} hotkey={hotkey} />
            </td>
            <td>{block ?? '–'}</td>
            <td>{why}</td>
          </tr>
        ))}
      </Wide>
    </section>
  )
}
