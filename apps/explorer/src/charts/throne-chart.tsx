import type { JSX } from 'preact'
import { linkTo } from '../address.ts'
import { type AppState, type DuelAccount, duelsIn, reignsIn } from '../app-state.ts'
import { nameIn } from '../page.ts'
import { type Frame, Plot, percentText } from './plot.tsx'

/** The ratio to beat over time: reigns as bands, every duel as a line that leads to it. */
export function ThroneChart({ state }: { readonly state: AppState }): JSX.Element {
  const { epochs } = state
  const [first, last] = [epochs[0]?.epoch ?? 0, (epochs.at(-1)?.epoch ?? 0) + 1]
  const points = epochs.map(({ epoch, ratio }) => [epoch, ratio / 1e6] as const)
  const end = epochs.at(-1)
  if (end) points.push([last, end.nextRatio / 1e6])
  const duels = duelsIn(state)
  const rows = rowsOf(duels)
  const most = Math.max(...points.map(([, ratio]) => ratio), 0.6)
  return (
    <Plot
      label="The ratio to beat, epoch by epoch, with reigns and duels"
      height={260}
      xs={[first, last + 1]}
      // Above the highest ratio there is room for names.
      ys={[0.5, Math.ceil(most * 20 + 0.5) / 20]}
      xName="epoch"
      yName="ratio to beat"
      yText={percentText}
    >
      {(frame) => (
        <>
          <Bands state={state} frame={frame} />
          <path class="ratio" d={stepsOf(points, frame)} />
          {duels.map((account, i) => {
            const y = frame.top + ROW * (rows[i] ?? 0) + 34
            return <DuelMark key={account.duel.id} {...{ account, state, frame, y }} />
          })}
        </>
      )}
    </Plot>
  )
}

function Bands({ state, frame }: { readonly state: AppState; readonly frame: Frame }): JSX.Element {
  const nameOf = nameIn(state)
  const { x, top, bottom } = frame
  return (
    <g>
      {reignsIn(state).map(({ hotkey, from, to }, i) => {
        const width = x(to) - x(from)
        const name = hotkey === undefined ? 'nobody' : nameOf(hotkey)
        return (
          <g key={from}>
            <rect
              class={`band band-${hotkey === undefined ? 'none' : i % 2}`}
              x={x(from)}
              y={top}
              width={width}
              height={bottom - top}
            />
            {width > 8 * name.length && (
              <text class="band-name" x={x(from) + 6} y={top + 16}>
                {name}
              </text>
            )}
          </g>
        )
      })}
    </g>
  )
}

/** Between two duels, in pixels. */
const ROW = 20

/** For each duel the first row in which no other one is meanwhile. */
function rowsOf(duels: readonly DuelAccount[]): readonly number[] {
  const ends: number[] = []
  return duels.map(({ duel }) => {
    const free = ends.findIndex((end) => end <= duel.start)
    const row = free === -1 ? ends.length : free
    ends[row] = lastOf(duel) + 1
    return row
  })
}

const lastOf = ({ start, epochIndex }: DuelAccount['duel']): number => start + epochIndex - 1

interface MarkProps {
  readonly account: DuelAccount
  readonly state: AppState
  readonly frame: Frame
  /** Its row, in pixels. */
  readonly y: number
}

const SHAPES = {
  won: 'M0-8 7 5-7 5Z',
  failed: 'M-6-6 6 6M6-6-6 6',
  open: 'M-6 0a6 6 0 1 0 12 0a6 6 0 1 0-12 0Z',
}

function DuelMark({ account, state, frame: { x }, y }: MarkProps): JSX.Element {
  const nameOf = nameIn(state)
  const { duel, end } = account
  const last = lastOf(duel)
  const how = howItEnded(duel)
  const pair = `${nameOf(duel.contender.hotkey)} against ${nameOf(duel.champion.hotkey)}`
  const label = `Duel of ${pair}: ${how}`
  return (
    <a href={linkTo.duel(duel.id)} aria-label={label} class={`mark mark-${how}`}>
      <title>{label}</title>
      <line x1={x(duel.start)} x2={x(last + 1)} y1={y} y2={y} />
      <g transform={`translate(${x(end ? last + 0.5 : last + 1)} ${y})`}>
        <circle class="target" r="10" />
        <path d={SHAPES[how]} />
      </g>
    </a>
  )
}

function howItEnded({ end }: DuelAccount['duel']): keyof typeof SHAPES {
  if (end === undefined) return 'open'
  return end === 'crowned' ? 'won' : 'failed'
}

/** A ratio holds for a whole epoch: steps, not slopes. */
function stepsOf(points: readonly (readonly [number, number])[], { x, y }: Frame): string {
  return points
    .map(([epoch, ratio], i) => {
      const to = `H${x(epoch + 1).toFixed(1)}`
      const at = `${y(ratio).toFixed(1)}`
      return i === 0 ? `M${x(epoch).toFixed(1)},${at}${to}` : `V${at}${to}`
    })
    .join('')
}
