import type { QueueEntry } from '@affine/report'
import { findSide, formatWait } from '@affine/report/sentences'
import { linkTo } from '../address.ts'
import { findDuels, formatSpan, isValidator } from '../app-state.ts'
import { describeResult, explainAbsence, hotkeyNames, type Page } from '../page.ts'
import { Few, Heading, type HotkeyProps, Key, Table } from './parts.tsx'

/** Shows every registered miner: the champion, the contenders, the queue, then the others. */
export function MinersView({ state }: Page) {
  const { nextChampion, nextDuels = [] } = state.epochs.at(-1) ?? {}
  const playing = [nextChampion?.hotkey, ...nextDuels.map(({ contender }) => contender.hotkey)]
  const rankOf = ({ hotkey }: QueueEntry): number =>
    playing.includes(hotkey) ? playing.indexOf(hotkey) : playing.length
  const miners = state.queue?.filter(({ hotkey }) => !isValidator(state, hotkey))
  const rows = [...(miners ?? [])]
    .sort((a, b) => rankOf(a) - rankOf(b))
    .map(({ place, turn, uid, hotkey, block, why }) => ({
      miner: <Key state={state} hotkey={hotkey} />,
      state: place === undefined ? why : `waits at place ${place}`,
      'expected wait': turn ? formatWait(turn) : '–',
      uid,
      'committed at block': block ?? '–',
      hotkey: <span class="mono">{hotkey}</span>,
    }))
  return (
    <>
      <Heading>Miners</Heading>
      {miners === undefined ? (
        <p>{explainAbsence(state, '')}</p>
      ) : (
        <Table title="By place in the queue" rows={rows} />
      )}
    </>
  )
}

/** Shows a miner: its current state, and its duels, latest first. */
export function MinerView({ state, hotkey }: HotkeyProps) {
  const duels = [...findDuels(state, hotkey)].reverse()
  const place = state.queue?.find((row) => row.hotkey === hotkey)
  return (
    <>
      <Heading kind="miner">{hotkeyNames(state)(hotkey)}</Heading>
      <p class="mono">{hotkey}</p>
      <p class="lead">{place ? `It ${place.why}.` : state.queue && 'It is not registered.'}</p>
      <ul class="duels">
        <Few limit={12}>
          {duels.map((account) => (
            <li key={account.duel.id}>
              <a href={linkTo.duel(account.duel.id)}>
                As {findSide(hotkey, account.duel)}, {formatSpan(account)}
              </a>
              : {describeResult(state, account)}
            </li>
          ))}
        </Few>
      </ul>
      {duels.length === 0 && (
        <p>{explainAbsence(state, 'It had no duel in the epochs that were read.')}</p>
      )}
    </>
  )
}
