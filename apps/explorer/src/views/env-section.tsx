import type { Decider, EnvFacts, EnvLaneFacts } from '@affine/report'
import { laneUseText, percent, percentRange } from '@affine/report/sentences'
import type { JSX } from 'preact'
import type { DuelAccount } from '../app-state.ts'
import { IntervalChart, type IntervalRow, type LaneKind } from '../charts/interval-chart.tsx'
import { nameIn, type Page, useAnswer } from '../page.ts'
import { roundOf } from '../visible.ts'
import { Key, Wide } from './parts.tsx'

interface EnvProps extends Page {
  readonly account: DuelAccount
  /** The last look at it. */
  readonly last: DuelAccount['looks'][number]
}

/** One environment of a duel: what decides, epoch by epoch, and the lanes that it is made of. */
export function EnvSection(props: EnvProps): JSX.Element {
  const { account, last } = props
  const { env, ratioPpm } = last.look
  const looks = account.looks.filter(({ look }) => look.env === env)
  return (
    <section>
      <h2>{env}</h2>
      <h3>What decides, epoch by epoch</h3>
      <IntervalChart
        label={`${env}: intervals for a win and for a hold, by epoch`}
        ratioPpm={ratioPpm}
        rows={looks.flatMap(({ epoch, look }) => [
          rowOf(`${epoch} win`, 'win', look.win),
          rowOf(`${epoch} hold`, 'hold', look.hold),
        ])}
      />
      <Basis look={last.look} />
      <h3>Lanes, over the duel</h3>
      <Lanes {...props} />
    </section>
  )
}

/** They are asked for: all lanes of all duels are more than a page should hold. */
function Lanes({ state, ask, account, last }: EnvProps): JSX.Element {
  const { epoch, look } = last
  const place = { epoch, duel: account.duel.id, env: look.env }
  const { value: lanes, error } = useAnswer(() => ask('lanes', place), Object.values(place))
  if (lanes === undefined) return <p>{error ?? 'Reading…'}</p>
  return (
    <>
      <IntervalChart
        label={`${look.env}: the lanes of validators`}
        ratioPpm={look.ratioPpm}
        rows={lanes.map((lane) => laneRow(lane, nameIn(state)))}
      />
      <Wide
        label={`Lanes in ${look.env}`}
        columns={['validator', 'won', 'lost', 'tied', 'use']}
        rows={lanes.map((lane) => ({
          key: lane.validator,
          isBad: lane.isSetAside,
          cells: [
            <Key state={state} hotkey={lane.validator} />,
            lane.wins,
            lane.losses,
            lane.played - lane.wins - lane.losses,
            laneUseText(lane),
          ],
        }))}
      />
    </>
  )
}

function rowOf(name: string, kind: 'win' | 'hold', { wins, trials, bounds }: Decider): IntervalRow {
  const rate = trials > 0 ? wins / trials : undefined
  return { name, kind, rate, bounds, note: `${roundOf(wins)} of ${roundOf(trials)} won` }
}

/** The counts that the two intervals follow from. */
function Basis({ look }: { readonly look: EnvFacts }): JSX.Element {
  const { win, hold, score, bar, left, cap, decisivePpm, wins, losses, ties } = look
  return (
    <dl>
      <dt>Challenges that count, without lanes set aside</dt>
      <dd>
        {wins} won, {losses} lost, {ties} tied
      </dd>
      <dt>Test for a win</dt>
      <dd>
        {roundOf(win.wins)} of {roundOf(win.trials)} won{intervalText(win)}. The score is{' '}
        {score / 100}; it takes {bar / 100}.
      </dd>
      <dt>Test for a hold</dt>
      <dd>
        {roundOf(hold.wins)} of {roundOf(hold.trials)} won{intervalText(hold)}
        {hold.upTo !== undefined && `; a hold up to ${percent(hold.upTo)}`}
      </dd>
      <dt>Decisive challenges left, of the most that count</dt>
      <dd>
        {Math.ceil(left / 1e6)} of {Math.ceil(cap / 1e6)}
      </dd>
      <dt>Challenges that tell the two apart, in the median lane</dt>
      <dd>{decisivePpm === undefined ? 'none' : percent(decisivePpm)}</dd>
    </dl>
  )
}

const intervalText = ({ bounds }: Decider): string => (bounds ? `: ${percentRange(bounds)}` : '')

function laneRow(lane: EnvLaneFacts, nameOf: (hotkey: string) => string): IntervalRow {
  const { wins, losses, bounds } = lane
  const trials = wins + losses
  return {
    name: nameOf(lane.validator).slice(0, 7),
    kind: kindOf(lane),
    rate: trials > 0 ? wins / trials : undefined,
    bounds,
    note: laneUseText(lane),
  }
}

/** A lane is marked by the tally of which the most of it was trimmed. */
function kindOf({ isSetAside, keptForWin, keptForHold }: EnvLaneFacts): LaneKind {
  if (isSetAside) return 'lane-aside'
  if (keptForWin < Math.min(keptForHold, 1_000_000)) return 'lane-no-win'
  return keptForHold < 1_000_000 ? 'lane-no-hold' : 'lane'
}
