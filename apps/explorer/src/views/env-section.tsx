import type { Decider, EnvFacts, EnvLaneFacts } from '@affine/report'
import { laneUseText } from '@affine/report/sentences'
import type { JSX } from 'preact'
import type { AppState, DuelAccount } from '../app-state.ts'
import { IntervalChart, type IntervalRow, type LaneKind } from '../charts/interval-chart.tsx'
import { nameIn } from '../page.ts'
import { shareOf } from '../visible.ts'
import { Wide } from './wide.tsx'

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
      <p>
        The test for a win leaves out the third of the weight that favours a win most; the test for
        a hold leaves out the third that favours a hold most. The bars are the intervals of both.
      </p>
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
          <p>
            Blue ring: left out of the test for a win, because it favours a win most. Golden ring:
            left out of the test for a hold. Red ring: set aside, because it is too far from the
            others.
          </p>
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
  return { name, kind, rate, bounds, note: `${shareOf(wins)} of ${shareOf(trials)} won` }
}

/** The counts that the two intervals follow from. */
function Basis({ look }: { readonly look: EnvFacts }): JSX.Element {
  const { win, hold, expected, floor, ways, left, cap, decisivePpm, wins, losses, ties } = look
  return (
    <dl class="basis">
      <dt>Challenges that count, without lanes set aside</dt>
      <dd>
        {wins} won, {losses} lost, {ties} tied
      </dd>
      <dt>Test for a win</dt>
      <dd>
        {shareOf(win.wins)} of {shareOf(win.trials)} won, {shareOf(expected)} expected
        {intervalText(win)}
        {'; the floor is '}
        {floor.score / 100} of {floor.bar / 100} deviations
        {ways.length > 0 && `: won by the test of the ${ways.join(' and of the ')}`}
      </dd>
      <dt>Test for a hold</dt>
      <dd>
        {shareOf(hold.wins)} of {shareOf(hold.trials)} won{intervalText(hold)}
        {hold.upTo !== undefined && `; a hold up to ${shareOf(hold.upTo)}`}
      </dd>
      <dt>Left until the cap</dt>
      <dd>
        {Math.ceil(left / 1e6)} of {Math.ceil(cap / 1e6)} decisive challenges
      </dd>
      <dt>Share of decisive challenges, in the median lane</dt>
      <dd>{decisivePpm === undefined ? 'none' : shareOf(decisivePpm)}</dd>
    </dl>
  )
}

const intervalText = ({ bounds }: Decider): string =>
  bounds ? `: ${shareOf(bounds.lower)} to ${shareOf(bounds.upper)}` : ''

function laneRow(lane: EnvLaneFacts, nameOf: (hotkey: string) => string): IntervalRow {
  const { wins, losses, bounds } = lane
  const trials = wins + losses
  return {
    name: nameOf(lane.validator).slice(0, 9),
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
  const nameOf = nameIn(state)
  return (
    <Wide label={`Lanes in ${look.env}`} columns={['validator', 'won', 'lost', 'tied', 'use']}>
      {look.lanes.map((lane) => (
        <tr key={lane.validator} class={lane.isSetAside ? 'aside' : undefined}>
          <td>{nameOf(lane.validator)}</td>
          <td>{lane.wins}</td>
          <td>{lane.losses}</td>
          <td>{lane.played - lane.wins - lane.losses}</td>
          <td>{laneUseText(lane)}</td>
        </tr>
      ))}
    </Wide>
  )
}
