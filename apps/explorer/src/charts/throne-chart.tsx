import { percent } from '@affine/report/sentences'
import type { JSX } from 'preact'
import { linkTo } from '../address.ts'
import { type AppState, type DuelAccount, duelsIn, reignsIn } from '../app-state.ts'
import { nameIn } from '../page.ts'
import { type Frame, Plot, percentText } from './plot.tsx'

/** The ratio to beat over time: reigns as bands, every duel as a mark that leads to it. */
export function ThroneChart({ state }: { readonly state: AppState }): JSX.Element {
  const { epochs } = state
  const [first, last] = [epochs[0]?.epoch ?? 0, (epochs.at(-1)?.epoch ?? 0) + 1]
  const points = epochs.map(({ epoch, ratio }) => [epoch, ratio / 1e6] as const)
  const end = epochs.at(-1)
  if (end) points.push([last, end.nextRatio / 1e6])
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
          {duelsIn(state).map((account) => (
            <DuelMark key={account.duel.id} account={account} state={state} frame={frame} />
          ))}
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

interface MarkProps {
  readonly account: DuelAccount
  readonly state: AppState
  readonly frame: Frame
}

const SHAPES = {
  won: 'M0-8 7 5-7 5Z',
  failed: 'M-6-6 6 6M6-6-6 6',
  open: 'M-6 0a6 6 0 1 0 12 0a6 6 0 1 0-12 0Z',
}

function DuelMark({ account, state, frame: { x, y } }: MarkProps): JSX.Element {
  const nameOf = nameIn(state)
  const { duel, epochs, end } = account
  const last = epochs.at(-1)?.epoch ?? duel.start
  const how = howItEnded(account)
  const words = { won: 'won', failed: 'failed', open: 'goes on' }[how]
  const pair = `${nameOf(duel.contender.hotkey)} against ${nameOf(duel.champion.hotkey)}`
  const label = `Duel of ${pair}, ratio ${percent(duel.ratio)}: ${words}`
  return (
    <a href={linkTo.duel(duel.id)} aria-label={label} class={`mark mark-${how}`}>
      <title>{label}</title>
      <line x1={x(duel.start)} x2={x(last + 1)} y1={y(duel.ratio / 1e6)} y2={y(duel.ratio / 1e6)} />
      <g transform={`translate(${x(end ? last + 0.5 : last + 1)} ${y(duel.ratio / 1e6)})`}>
        <circle class="target" r="13" />
        <path d={SHAPES[how]} />
      </g>
    </a>
  )
}

function howItEnded({ duel: { end } }: DuelAccount): keyof typeof SHAPES {
  if (end === undefined) return 'open'
  return end.winner === 'contender' ? 'won' : 'failed'
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
