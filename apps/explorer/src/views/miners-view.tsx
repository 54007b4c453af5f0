import type { JSX } from 'preact'
import { isValidator } from '../app-state.ts'
import type { Page } from '../page.ts'
import { absentText } from '../reading.ts'
import { Key } from './key.tsx'
import { Wide } from './wide.tsx'

/** Every registered miner: those that wait, and why the others do not. */
export function MinersView({ state }: Page): JSX.Element {
  const miners = state.queue?.filter(({ hotkey }) => !isValidator(state, hotkey))
  const rows = (miners ?? []).map(({ uid, hotkey, block, why }) => ({
    key: uid,
    cells: [<Key state={state} hotkey={hotkey} />, uid, why, block ?? '–'],
  }))
  return (
    <>
      <h1>Miners</h1>
      <p>
        A miner commits a model on chain, and waits for its duel with the champion. The next
        contender comes first.
      </p>
      {miners === undefined ? (
        <p>{absentText(state, '')}</p>
      ) : (
        <Wide
          label="Miners"
          columns={['miner', 'uid', 'state', 'committed at block']}
          rows={rows}
        />
      )}
    </>
  )
}
