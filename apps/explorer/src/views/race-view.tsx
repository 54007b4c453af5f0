import type { DuelTurn } from '@affine/report'
import {
  describeEnd,
  describeStanding,
  describeSubnet,
  explainEnd,
  explainFrozen,
  formatCount,
  formatEpochs,
  percent,
  shortenHotkey,
  warnOtherState,
} from '@affine/report/sentences'
import { formatDuelId, linkTo } from '../address.ts'
import { type AppState, type DuelAccount, listDuels, listTerms, type Term } from '../app-state.ts'
import { explainAbsence, hotkeyNames, type Page, readingState, type StateProps } from '../page.ts'
import { showOnLine } from '../visible.ts'
import type { EpochAccount } from '../worker/epoch-accounts.ts'
import { LEADS_KEY, Leads } from './bars.tsx'
import { Face, Few, Heading, Key } from './parts.tsx'

/** Shows the champion, the contenders, why an epoch was frozen, and the earlier champions. */
export function RaceView({ state }: Page) {
  const { beginning, epochs } = state
  const last = epochs.at(-1)
  const nameOf = hotkeyNames(state)
  const hotkey = last?.nextChampion?.hotkey
  const when = readingState(state) === 'stopped' && last ? ` in epoch ${last.epoch + 1}` : ''
  return (
    <>
      <Heading>
        {last && (hotkey === undefined ? 'No one' : <Key state={state} hotkey={hotkey} />)}
        {last ? ` has the throne${when}` : 'The race for the throne'}
      </Heading>
      <p class="about">{beginning && describeSubnet(beginning.titles)}</p>
      {last ? (
        <>
          <Numbers state={state} />
          <Duels state={state} />
          {[...explainFrozen(last, nameOf), ...warnOtherState(last, nameOf)].map((text) => (
            <p key={text}>{text}</p>
          ))}
          <TimeLine state={state} />
          <details class="fold">
            <summary>The digest of the computed state for epoch {last.epoch + 1}</summary>
            <p class="mono root">{last.root}</p>
          </details>
        </>
      ) : (
        <p>{explainAbsence(state, '')}</p>
      )}
    </>
  )
}

/** Reports whether the reading began at epoch `from`, although the network began earlier. */
const isStartUnknown = ({ beginning }: AppState, from: number): boolean =>
  beginning?.isTrusted === true && beginning.from === from

/**
 * Returns the duel that won the champion its throne. Undefined if there was none, or if it was not
 * read.
 */
function findCrowning(state: AppState): DuelAccount | undefined {
  const from = listTerms(state).at(-1)?.from ?? 0
  return listDuels(state).find(
    ({ duel, last }) => duel.end === 'crowned' && last.epoch === from - 1,
  )
}

/**
 * Shows the champion's first epoch, the confidence in its victory, and the ratio to beat. Protocol
 * §8.10.
 */
function Numbers({ state }: StateProps) {
  const { hotkey = '', from = 0 } = listTerms(state).at(-1) ?? {}
  const { nextChampion, nextRatio = 0 } = state.epochs.at(-1) ?? {}
  const model =
    nextChampion && showOnLine(nextChampion.model.replace(hotkey, shortenHotkey(hotkey)), 80)
  const { duel } = findCrowning(state) ?? {}
  const sure =
    duel === undefined
      ? 'it won no duel for this throne that was read'
      : 'or more of the contenders exactly at the ratio to beat fail, even with luck and liars. ' +
        `This one won ${duel.wins} of ${duel.counted} environments and needed ${duel.needed}`
  const since = `epoch ${from}${isStartUnknown(state, from) ? ' or earlier' : ''}`
  const numbers = [
    ['Since', since, model && `Model: ${model}`],
    ['How sure', duel ? percent(duel.surePpm) : 'unknown', sure],
    ['To beat now', percent(nextRatio), TO_BEAT],
  ]
  return (
    <dl class="grid numbers">
      {numbers.map(([name, value, meaning]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd class="big">{value}</dd>
          <dd>{meaning}</dd>
        </div>
      ))}
    </dl>
  )
}

const TO_BEAT =
  'is the share of the decisive challenges (one of the two does better) that a contender has to ' +
  'exceed'

/** Shows how the throne was won, and the current contenders. */
function Duels({ state }: StateProps) {
  const { nextDuels = [] } = state.epochs.at(-1) ?? {}
  const duels = listDuels(state)
  const crowning = findCrowning(state)
  return (
    <section>
      {crowning && (
        <>
          <h2>How it won the throne</h2>
          <Contender {...{ state, account: crowning }} of={crowning.duel} />
        </>
      )}
      {(crowning || nextDuels.length > 0) && <p class="caption">{LEADS_KEY}</p>}
      {nextDuels.length > 0 && <h2>Contenders</h2>}
      {nextDuels.map((turn) => {
        const account = duels.find(({ duel }) => duel.id === formatDuelId(turn))
        return <Contender key={formatDuelId(turn)} {...{ state, account }} of={turn} />
      })}
    </section>
  )
}

interface ContenderProps extends StateProps {
  readonly of: DuelTurn
  /** Undefined before the duel's first epoch is decided. */
  readonly account: DuelAccount | undefined
}

const Contender = ({ state, account, of }: ContenderProps) => (
  <div class="contender">
    <p>
      <Key state={state} hotkey={of.contender.hotkey} /> {describeRow(of, account)}{' '}
      {account && <a href={linkTo.duel(account.duel.id)}>its duel</a>}
    </p>
    {account && <Leads account={account} />}
  </div>
)

/** Describes the end of a duel and its cause, or its current state and remaining epochs. */
function describeRow(turn: DuelTurn, account: DuelAccount | undefined): string {
  const { end, stats } = account?.duel ?? {}
  if (end && stats) return `${explainEnd({ end }, stats.contender, account?.last.ratio ?? 0)}.`
  const left = Math.max(0, turn.duelEpochs - turn.epochIndex + 1)
  const stands = describeStanding({ ...account?.duel, ...turn })
  return `${stands}; ${formatCount(left, 'epoch')} left`
}

/** Shows the champions, latest first, each with the duels that ended or continue in its term. */
const TimeLine = ({ state }: StateProps) => (
  <section>
    <h2>Champions, latest first</h2>
    <ol class="plain grid time">
      <Few limit={8}>
        {[...listTerms(state)].reverse().map((term) => (
          <TermEntry key={term.from} {...{ state, term }} />
        ))}
      </Few>
    </ol>
  </section>
)

function TermEntry({ state, term }: StateProps & { readonly term: Term }) {
  const { hotkey, from, to } = term
  const isLast = state.epochs.at(-1)?.epoch === to - 2
  const isIn = (each: EpochAccount): boolean => each.epoch >= from && each.epoch < to
  const fallen = listDuels(state).filter((account) => isIn(account.last))
  const before = isStartUnknown(state, from) ? ', and perhaps earlier' : ''
  const when = (isLast ? `from epoch ${from} on` : formatEpochs(from, to - 1)) + before
  return (
    <li>
      <b>{hotkey === undefined ? 'no one' : <Key state={state} hotkey={hotkey} />}</b>
      <p>{when}</p>
      <ul class="plain">
        <Few limit={12}>
          {fallen.map((account) => (
            <li key={account.duel.id} class={`mark-${account.duel.end}`}>
              <a class="key" href={linkTo.duel(account.duel.id)}>
                <Face of={account.duel.contender.hotkey} />
                {hotkeyNames(state)(account.duel.contender.hotkey)} {describeEnd(account.duel.end)}
              </a>
            </li>
          ))}
        </Few>
      </ul>
    </li>
  )
}
