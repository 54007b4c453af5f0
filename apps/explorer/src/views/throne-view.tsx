import {
  contendsText,
  otherStateTexts,
  percent,
  quorumTexts,
  subnetText,
} from '@affine/report/sentences'
import type { JSX } from 'preact'
import { duelId, linkTo } from '../address.ts'
import {
  type AppState,
  type DuelAccount,
  duelsIn,
  lastLooks,
  reignsIn,
  spanText,
} from '../app-state.ts'
import { ThroneChart } from '../charts/throne-chart.tsx'
import {
  absentText,
  asOfText,
  outcomeText,
  type Page,
  progressOf,
  ratioText,
  type StateProps,
} from '../page.ts'
import { countText, shortOf, visibleLine } from '../visible.ts'
import { BigNumber, Key, Numbers, TitledTable } from './parts.tsx'

/** What competes at what, the champion, since when, and how sure that is. */
export function ThroneView({ state }: Page): JSX.Element {
  const { beginning, epochs } = state
  const last = epochs.at(-1)
  return (
    <>
      <h1 class="sentence">{beginning ? subnetText(beginning.titles) : 'The throne'}</h1>
      {epochs.length > 0 || progressOf(state) === 'reading' ? (
        <Numbers>
          <Holder state={state} />
          <Since state={state} />
          <SureNumber state={state} />
        </Numbers>
      ) : (
        <p>{absentText(state, '')}</p>
      )}
      {last && (
        <>
          <Contention state={state} />
          {otherStateTexts(last).map((text) => (
            <p key={text}>{text}</p>
          ))}
          <figure>
            <figcaption>
              The ratio to beat: how many of the challenges that only one of the two solves a
              contender has to win. Each band is a champion’s time; each line is a duel: ▲ its
              contender took the throne, ✕ it did not, ○ it has no end yet.
            </figcaption>
            <ThroneChart state={state} />
          </figure>
          <DuelsTable state={state} />
          <Root state={state} />
        </>
      )}
    </>
  )
}

function Holder({ state }: StateProps): JSX.Element {
  const { epochs } = state
  const { hotkey, model = '' } = epochs.at(-1)?.heir ?? {}
  const nobody = epochs.length === 0 ? '…' : 'nobody'
  return (
    <BigNumber
      name={`Champion${asOfText(state)}`}
      value={hotkey === undefined ? nobody : <Key state={state} hotkey={hotkey} />}
    >
      {hotkey !== undefined && `model ${visibleLine(model.replace(hotkey, shortOf(hotkey)), 80)}`}
    </BigNumber>
  )
}

function Since({ state }: StateProps): JSX.Element {
  const reign = reignsIn(state).at(-1)
  if (reign === undefined) return <BigNumber name="Since" value="…" />
  const { from, to } = reign
  const failed = duelsIn(state).filter(({ duel, end }) => duel.start >= from && end).length
  return (
    <BigNumber name="Since" value={`epoch ${from}`}>
      {countText(to - from, 'epoch')}
      {asOfText(state) || ' so far'}; {countText(failed, 'contender')} failed against it since
    </BigNumber>
  )
}

/** What comes next. Each duel and each wait is an element of its own, so that no words move. */
function Contention({ state }: StateProps): JSX.Element {
  const { nextDuels = [], duels = [] } = state.epochs.at(-1) ?? {}
  const next = state.queue?.find(({ place }) => place === 1)
  if (nextDuels.length > 0)
    return (
      <>
        <p key="contenders" class="lead">
          {ratioText(state)} These contend:
        </p>
        <ul>
          {nextDuels.map((turn) => {
            const known = duels.find(({ id }) => id === duelId(turn))
            return (
              <li key={duelId(turn)}>
                <Key state={state} hotkey={turn.contender.hotkey} />{' '}
                {contendsText({ standing: 'open', ...known, ...turn })}
                {known && (
                  <>
                    {' '}
                    (<a href={linkTo.duel(known.id)}>the duel so far</a>)
                  </>
                )}
              </li>
            )
          })}
        </ul>
      </>
    )
  if (next === undefined)
    return (
      <p key="nobody" class="lead">
        {state.queue && 'No miner contends or waits. '}
        {ratioText(state)}
      </p>
    )
  const [why, ...missing] = quorumTexts(
    state.epochs.at(-1) ?? { lacking: undefined, others: undefined },
  )
  return (
    <>
      <p key={next.hotkey} class="lead">
        The next contender is <Key state={state} hotkey={next.hotkey} />. {ratioText(state)} {why}
      </p>
      {missing.length > 0 && (
        <ul>
          {missing.map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      )}
    </>
  )
}

function Root({ state }: StateProps): JSX.Element {
  const last = state.epochs.at(-1)
  const { beginning } = state
  return (
    <details class="fold">
      <summary>How this page knows: the state root</summary>
      <p>
        Champion: <span class="mono champion">{last?.heir?.hotkey ?? 'nobody'}</span>
      </p>
      <p class="mono root">{last?.root}</p>
      <p>
        This is the digest of the state for epoch {(last?.epoch ?? 0) + 1}. This browser computed it
        from the chain and the buckets.{' '}
        {beginning?.isBelieved
          ? `It trusted the state of epoch ${beginning.from}, as more than half of the stake ` +
            'attested it, and computed the rest.'
          : 'It began with the network’s first state.'}
      </p>
    </details>
  )
}

/** How sure it is that the champion is the better one: by the duel that it won. */
export function SureNumber({ state }: StateProps): JSX.Element {
  const { epochs } = state
  const name = 'How sure'
  if (epochs.length === 0) return <BigNumber name={name} value="…" />
  const reign = reignsIn(state).at(-1)
  if (reign?.hotkey === undefined)
    return (
      <BigNumber name={name} value="–">
        the throne is empty
      </BigNumber>
    )
  const won = duelsIn(state).find(
    ({ duel, end }) => duel.end === 'crowned' && end?.epoch === reign.from - 1,
  )
  const least = won && leastOf(won)
  if (won === undefined || least === undefined)
    return (
      <BigNumber name={name} value="unknown">
        {unknownText(state, reign.from)}
      </BigNumber>
    )
  return (
    <BigNumber name={name} value={leastText(least, won.ratio)}>
      of the challenges that only one of the two solves are its own, in each environment that it won
      and luck allowed for. {percent(won.ratio)} were needed in{' '}
      <a href={linkTo.duel(won.duel.id)}>its duel</a>
    </BigNumber>
  )
}

/** Rounded down. A win is by its score: that is above the ratio, wherever the interval begins. */
const leastText = (least: number, ratio: number): string =>
  least < ratio ? `more than ${percent(ratio)}` : `${percent(least, Math.floor)} or more`

const unknownText = ({ epochs }: AppState, from: number): string =>
  epochs[0]?.epoch === from
    ? 'it was the champion before'
    : 'it took the throne without winning a duel'

/** The least share that a contender is sure to win, of the environments that it won. */
function leastOf(account: DuelAccount): number | undefined {
  const shares = lastLooks(account).flatMap(({ look: { env, win } }) =>
    account.duel.verdicts[env] === 'win' && win.bounds ? [win.bounds.lower] : [],
  )
  return shares.length === 0 ? undefined : Math.min(...shares)
}

/** Every duel read, the last first. */
function DuelsTable({ state }: StateProps): JSX.Element {
  const rows = [...duelsIn(state)].reverse().map((account) => {
    const { duel, ratio } = account
    const cells = [
      <a href={linkTo.duel(duel.id)}>{spanText(account)}</a>,
      <Key state={state} hotkey={duel.contender.hotkey} />,
      <Key state={state} hotkey={duel.champion.hotkey} />,
      percent(ratio),
      outcomeText(state, account),
    ]
    return { key: duel.id, cells }
  })
  return (
    <TitledTable
      title="Duels"
      columns={['duel', 'contender', 'champion', 'to beat', 'outcome']}
      rows={rows}
    />
  )
}
