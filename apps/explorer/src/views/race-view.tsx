import {
  contendsText,
  epochsText,
  otherStateTexts,
  percent,
  quorumTexts,
  subnetText,
} from '@affine/report/sentences'
import type { ComponentChildren, JSX } from 'preact'
import { duelId, linkTo } from '../address.ts'
import {
  type AppState,
  type DuelAccount,
  duelsIn,
  lastLooks,
  type Reign,
  reignsIn,
  spanText,
} from '../app-state.ts'
import { absentText, asOfText, nameIn, type Page, progressOf, type StateProps } from '../page.ts'
import { countText, shortOf, visibleLine } from '../visible.ts'
import { Leads } from './bars.tsx'
import { BigNumber, Face, Few, Key, Numbers } from './parts.tsx'

/** The champion, since when and how sure that is, the contenders, and the line of time. */
export function RaceView({ state }: Page): JSX.Element {
  const { beginning, epochs } = state
  const last = epochs.at(-1)
  const hotkey = last?.heir?.hotkey
  return (
    <>
      <h1>
        {last && (hotkey === undefined ? 'Nobody' : <Key state={state} hotkey={hotkey} />)}
        {last ? ` has the throne${asOfText(state)}` : 'The race for the throne'}
      </h1>
      <p class="about">{beginning && subnetText(beginning.titles)}</p>
      {last || progressOf(state) === 'reading' ? (
        <Numbers>
          <Since state={state} />
          <SureNumber state={state} />
          <ToBeat state={state} />
        </Numbers>
      ) : (
        <p>{absentText(state, '')}</p>
      )}
      {last && (
        <>
          {/* Before, each epoch would move what is below. */}
          {progressOf(state) !== 'reading' && <Contenders state={state} />}
          {otherStateTexts(last).map((text) => (
            <p key={text}>{text}</p>
          ))}
          {progressOf(state) !== 'reading' && <TimeLine state={state} />}
          <Root state={state} />
        </>
      )}
    </>
  )
}

function Since({ state }: StateProps): JSX.Element {
  const reign = reignsIn(state).at(-1)
  if (reign === undefined) return <BigNumber name="Since" value="…" />
  const { hotkey, from, to } = reign
  const { model } = state.epochs.at(-1)?.heir ?? {}
  const failed = duelsIn(state).filter(({ duel, end }) => duel.start >= from && end).length
  return (
    <BigNumber name="Since" value={`epoch ${from}`}>
      {countText(to - from, 'epoch')}
      {asOfText(state) || ' so far'}; {countText(failed, 'contender')} failed against it
      {hotkey !== undefined &&
        model !== undefined &&
        `. Model: ${visibleLine(model.replace(hotkey, shortOf(hotkey)), 80)}`}
    </BigNumber>
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
      of the challenges that only one of the two solves are its own, luck allowed for, in each
      environment that it won in <a href={linkTo.duel(won.duel.id)}>its duel</a>;{' '}
      {percent(won.ratio)} were needed
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

/** The ratio to beat, and where it goes. Protocol §8.10. */
export function ToBeat({ state }: StateProps): JSX.Element {
  const { nextRatio } = state.epochs.at(-1) ?? {}
  if (nextRatio === undefined) return <BigNumber name="To beat" value="…" />
  const isFalling = nextRatio > (state.beginning?.leastRatio ?? 0)
  return (
    <BigNumber name={`To beat${asOfText(state)}`} value={percent(nextRatio)}>
      is what a contender has to win of the challenges that only one of the two solves
      {isFalling && '; it goes down with each epoch that crowns nobody'}
    </BigNumber>
  )
}

/** One row for each contender. Without any: what comes next, and the rows of the last ones. */
function Contenders({ state }: StateProps): JSX.Element {
  const { nextDuels = [] } = state.epochs.at(-1) ?? {}
  const duels = duelsIn(state)
  const champion = duels.at(-1)?.duel.champion.hotkey
  const last = duels.filter(({ duel }) => duel.champion.hotkey === champion).slice(-MOST_LAST)
  return (
    <section>
      {nextDuels.length === 0 && <Next state={state} />}
      <h2>{nextDuels.length > 0 ? 'Contenders' : 'The last contenders'}</h2>
      {nextDuels.map((turn) => {
        const account = duels.find(({ duel }) => duel.id === duelId(turn))
        const left = Math.max(0, turn.duelEpochs - turn.epochIndex + 1)
        return (
          <Contender key={duelId(turn)} {...{ state, account }} hotkey={turn.contender.hotkey}>
            {contendsText({ standing: 'open', ...account?.duel, ...turn })};{' '}
            {countText(left, 'epoch')} left
          </Contender>
        )
      })}
      {nextDuels.length === 0 &&
        last.map((account) => (
          <Contender
            key={account.duel.id}
            {...{ state, account }}
            hotkey={account.duel.contender.hotkey}
          >
            {endText(account)}, {spanText(account)}
          </Contender>
        ))}
      <p class="caption">
        Each bar is what the contender wins of the challenges that only one of the two solves, as
        far as luck lets one know; the line is what it has to beat. A bar right of the line has won.
      </p>
    </section>
  )
}

const MOST_LAST = 4

/** The miner that contends next, and why it does not yet. */
function Next({ state }: StateProps): JSX.Element {
  const next = state.queue?.find(({ place }) => place === 1)
  const last = state.epochs.at(-1) ?? { lacking: undefined, others: undefined }
  if (next === undefined) return <p class="lead">{state.queue && 'No miner contends or waits.'}</p>
  return (
    <>
      <p class="lead">
        The next contender is <Key state={state} hotkey={next.hotkey} />.
      </p>
      {quorumTexts(last, nameIn(state)).map((text) => (
        <p key={text}>{text}</p>
      ))}
    </>
  )
}

interface ContenderProps extends StateProps {
  /** Undefined before its first epoch is decided. */
  readonly account: DuelAccount | undefined
  readonly hotkey: string
  readonly children: ComponentChildren
}

const Contender = ({ state, account, hotkey, children }: ContenderProps): JSX.Element => (
  <div class="contender">
    <p>
      <Key state={state} hotkey={hotkey} /> {children}{' '}
      {account && <a href={linkTo.duel(account.duel.id)}>its duel</a>}
    </p>
    {account && <Leads account={account} />}
  </div>
)

/** How a duel ended, in few words. */
function endText({ duel: { end } }: DuelAccount): string {
  if (end === undefined) return 'contends'
  if (end === 'crowned') return 'took the throne'
  return end === 'passed' ? 'was passed by a better one' : 'failed'
}

/** Reigns, the last first, with the contenders that fell in each. */
function TimeLine({ state }: StateProps): JSX.Element {
  const duels = duelsIn(state)
  return (
    <section>
      <h2>Who had the throne</h2>
      <ol class="time">
        <Few most={8}>
          {[...reignsIn(state)].reverse().map((reign) => (
            <Stretch key={reign.from} {...{ state, reign }} duels={duelsDuring(duels, reign)} />
          ))}
        </Few>
      </ol>
    </section>
  )
}

/** The duels of a reign. */
const duelsDuring = (duels: readonly DuelAccount[], { from, to }: Reign): readonly DuelAccount[] =>
  duels.filter(({ end, epochs }) => {
    const epoch = (end ?? epochs.at(-1))?.epoch ?? -1
    return epoch >= from && epoch < to
  })

interface StretchProps extends StateProps {
  readonly reign: Reign
  /** That ended in it, or go on in it. */
  readonly duels: readonly DuelAccount[]
}

function Stretch({ state, duels, reign: { hotkey, from, to } }: StretchProps): JSX.Element {
  const ratios = state.epochs.flatMap(({ epoch, ratio }) =>
    epoch >= from && epoch < to ? [ratio] : [],
  )
  const isLast = state.epochs.at(-1)?.epoch === to - 2
  const { nextRatio = 0 } = state.epochs.at(-1) ?? {}
  const [first = nextRatio, last = first] = [ratios[0], isLast ? nextRatio : ratios.at(-1)]
  const ratioText = first === last ? percent(first) : `${percent(first)} to ${percent(last)}`
  const when = isLast ? `from epoch ${from} on` : epochsText(from, to - 1)
  return (
    <li>
      <b>{hotkey === undefined ? 'nobody' : <Key state={state} hotkey={hotkey} />}</b>
      <p>
        {when}. To beat: {ratioText}
      </p>
      <ul class="fallen">
        <Few most={12}>
          {duels.map((account) => (
            <li key={account.duel.id} class={`mark-${account.duel.end}`}>
              <a class="key" href={linkTo.duel(account.duel.id)}>
                <Face of={account.duel.contender.hotkey} />
                {nameIn(state)(account.duel.contender.hotkey)} {endText(account)}
              </a>
            </li>
          ))}
        </Few>
      </ul>
    </li>
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
