import type { JSX } from 'preact'
import type { Book, DuelAccount } from '../book.ts'
import { IntervalChart, type IntervalRow, type LaneKind } from '../charts/interval-chart.tsx'
import { nameIn } from '../page.ts'
import { shareOf } from '../visible.ts'
import type { Decider, EnvAccount, LanePoint } from '../worker/env-account.ts'
import { Wide } from './wide.tsx'

interface EnvProps {
  readonly book: Book
  readonly account: DuelAccount
  readonly env: string
}

/** One environment of a duel: what decides, epoch by epoch, and the lanes that it is made of. */
export function EnvSection({ book, account, env }: EnvProps): JSX.Element {
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
        A win is judged without the third of the weight that favours it most, a hold without the
        third that favours that most. The bars are the intervals of these two.
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
            A blue ring: trimmed for a win, as it favours one most. A golden ring: trimmed for a
            hold. A red ring: set aside, as it is too far from the others.
          </p>
          <IntervalChart
            label={`${env}: the lanes of validators`}
            ratioPpm={ratioPpm}
            rows={last.lanes.map((lane) => laneRow(lane, nameIn(book)))}
          />
          <LaneTable look={last} book={book} />
        </>
      )}
    </section>
  )
}

function rowOf(name: string, kind: 'win' | 'hold', { wins, trials, bounds }: Decider): IntervalRow {
  const rate = trials > 0 ? wins / trials : undefined
  return { name, kind, rate, bounds, note: `${wins} of ${trials} won` }
}

/** The counts that the two intervals follow from. */
function Basis({ look }: { readonly look: EnvAccount }): JSX.Element {
  const { win, hold, floor, ways, left, cap, decisivePpm, wins, losses, ties } = look
  return (
    <dl class="basis">
      <dt>Counted, without lanes set aside</dt>
      <dd>
        {wins} won, {losses} lost, {ties} tied
      </dd>
      <dt>For a win</dt>
      <dd>
        {win.wins} of {win.trials} won, {win.expected} expected{intervalText(win)}
        {'; the floor is '}
        {floor.deviations.toFixed(2)} of {floor.bar.toFixed(2)} deviations
        {ways.length > 0 && `: a win by ${ways.join(' and ')}`}
      </dd>
      <dt>For a hold</dt>
      <dd>
        {hold.wins} of {hold.trials} won{intervalText(hold)}
      </dd>
      <dt>Until the cap</dt>
      <dd>
        {Math.ceil(left)} decisive challenges of {cap} are left
      </dd>
      <dt>Decisive in the median lane</dt>
      <dd>{decisivePpm === undefined ? 'none' : shareOf(decisivePpm)}</dd>
    </dl>
  )
}

const intervalText = ({ bounds }: Decider): string =>
  bounds ? `: ${shareOf(bounds.lower)} to ${shareOf(bounds.upper)}` : ''

function laneRow(lane: LanePoint, nameOf: (hotkey: string) => string): IntervalRow {
  const { wins, losses, bounds } = lane
  const trials = wins + losses
  return {
    name: nameOf(lane.validator).slice(0, 9),
    kind: kindOf(lane),
    rate: trials > 0 ? wins / trials : undefined,
    bounds,
    note: useOf(lane),
  }
}

/** A lane is marked by the tally of which the most of it was trimmed. */
function kindOf({ isSetAside, keptForWin, keptForHold }: LanePoint): LaneKind {
  if (isSetAside) return 'lane-aside'
  if (keptForWin < Math.min(keptForHold, 1_000_000)) return 'lane-no-win'
  return keptForHold < 1_000_000 ? 'lane-no-hold' : 'lane'
}

/** What a lane counts for. */
function useOf({ isSetAside, keptForWin, keptForHold }: LanePoint): string {
  if (isSetAside) return 'set aside: too far from the others'
  const part = (ppm: number): string => `${Math.round(ppm / 10_000)} %`
  if (keptForWin === 1_000_000 && keptForHold === 1_000_000) return 'counts in both'
  const [win, hold] = [part(keptForWin), part(keptForHold)]
  return `${win} counts for a win, ${hold} for a hold: the rest is trimmed`
}

function LaneTable({ look, book }: { readonly look: EnvAccount; readonly book: Book }) {
  const nameOf = nameIn(book)
  return (
    <Wide label={`Lanes in ${look.env}`} columns={['validator', 'won', 'lost', 'tied', 'use']}>
      {look.lanes.map((lane) => (
        <tr key={lane.validator} class={lane.isSetAside ? 'aside' : undefined}>
          <td>{nameOf(lane.validator)}</td>
          <td>{lane.wins}</td>
          <td>{lane.losses}</td>
          <td>{lane.played - lane.wins - lane.losses}</td>
          <td>{useOf(lane)}</td>
        </tr>
      ))}
    </Wide>
  )
}
