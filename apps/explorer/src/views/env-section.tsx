import type { Decider, EnvFacts, EnvLaneFacts } from '@affine/report'
import { laneUseText, percent, percentRange, waysText } from '@affine/report/sentences'
import type { JSX } from 'preact'
import type { AppState, DuelAccount } from '../app-state.ts'
import { IntervalChart, type IntervalRow, type LaneKind } from '../charts/interval-chart.tsx'
import { nameIn } from '../page.ts'
import { roundOf } from '../visible.ts'
import { Key, Wide } from './parts.tsx'

interface EnvProps {
  readonly state: AppState
  readonly account: DuelAccount
  readonly env: string
}

/** One environment of a duel: what decides, epoch by epoch, and the lanes that it is made of. */
export function EnvSection({ state, account, env }: EnvProps): JSX.Element {
  const looks = account.epochs.flatMap(({ epoch, envs }) =>
    envs.filter((each) => each.env === env).map((look) => ({ epoch, look })),
  )
  const last = looks.at(-1)?.look
  const ratioPpm = account.duel.ratio
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
      {last && <Basis look={last} />}
      {last && (
        <>
          <h3>Lanes, over the duel</h3>
          <IntervalChart
            label={`${env}: the lanes of validators`}
            ratioPpm={ratioPpm}
            rows={last.lanes.map((lane) => laneRow(lane, nameIn(state)))}
          />
          <LaneTable look={last} state={state} />
        </>
      )}
    </section>
  )
}

function rowOf(name: string, kind: 'win' | 'hold', { wins, trials, bounds }: Decider): IntervalRow {
  const rate = trials > 0 ? wins / trials : undefined
  return { name, kind, rate, bounds, note: `${roundOf(wins)} of ${roundOf(trials)} won` }
}

/** The counts that the two intervals follow from. */
function Basis({ look }: { readonly look: EnvFacts }): JSX.Element {
  const { win, hold, expected, floor, ways, left, cap, decisivePpm, wins, losses, ties } = look
  return (
    <dl>
      <dt>Challenges that count, without lanes set aside</dt>
      <dd>
        {wins} won, {losses} lost, {ties} tied
      </dd>
      <dt>Test for a win</dt>
      <dd>
        {roundOf(win.wins)} of {roundOf(win.trials)} won{intervalText(win)}, as wide as{' '}
        {roundOf(expected)} challenges allow. The score is {floor.score / 100}; it takes{' '}
        {floor.bar / 100}.{ways.length > 0 && ` Won by its ${waysText(ways)}.`}
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

function LaneTable({ look, state }: { readonly look: EnvFacts; readonly state: AppState }) {
  const rows = look.lanes.map((lane) => ({
    key: lane.validator,
    isBad: lane.isSetAside,
    cells: [
      <Key state={state} hotkey={lane.validator} />,
      lane.wins,
      lane.losses,
      lane.played - lane.wins - lane.losses,
      laneUseText(lane),
    ],
  }))
  return (
    <Wide
      label={`Lanes in ${look.env}`}
      columns={['validator', 'won', 'lost', 'tied', 'use']}
      rows={rows}
    />
  )
}
