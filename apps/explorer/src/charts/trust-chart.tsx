import type { JSX } from 'preact'
import type { AppState } from '../app-state.ts'
import { nameIn } from '../page.ts'
import { Plot, pathOf } from './plot.tsx'

/** Lines that can be told apart; of more validators the least trusted are the interesting ones. */
const MOST_LINES = 16

/** The trust of validators, epoch by epoch. */
export function TrustChart({ state }: { readonly state: AppState }): JSX.Element {
  const { epochs } = state
  const nameOf = nameIn(state)
  const first = epochs[0]?.epoch ?? 0
  const latest = epochs.at(-1)
  const lines = Object.entries(latest?.trust ?? {})
    .sort(([, a], [, b]) => a - b)
    .slice(0, MOST_LINES)
  return (
    <Plot
      label="Trust by validator and epoch"
      height={240}
      xs={[first, first + epochs.length + 1]}
      ys={[0, 1]}
      xName="epoch"
      yName="trust"
    >
      {(frame) =>
        lines.map(([hotkey, trust], i) => {
          const points = epochs.flatMap(({ epoch, trust: known }) => {
            const ppm = known[hotkey]
            return ppm === undefined ? [] : [[epoch + 1, ppm / 1e6] as const]
          })
          const end = (latest?.epoch ?? 0) + 1
          return (
            <g key={hotkey} class={`line line-${i % 6}`}>
              <path d={pathOf(points, frame)} />
              <text x={frame.x(end)} y={frame.y(trust / 1e6) + 14} text-anchor="end">
                {isLabelled(lines, i) ? nameOf(hotkey) : ''}
              </text>
            </g>
          )
        })
      }
    </Plot>
  )
}

/** Names of lines that end at one place would cover each other. */
function isLabelled(lines: readonly (readonly [string, number])[], i: number): boolean {
  const at = lines[i]?.[1] ?? 0
  return lines.findIndex(([, trust]) => Math.abs(trust - at) < 70_000) === i
}
