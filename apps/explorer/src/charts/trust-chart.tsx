import type { JSX } from 'preact'
import type { AppState } from '../app-state.ts'
import { nameIn } from '../page.ts'
import { type Frame, Plot, pathOf, percentText } from './plot.tsx'

/** Lines that can be told apart; of more validators the least trusted are the interesting ones. */
const MOST_LINES = 16
/** Names of lines that end closer together would cover each other. */
const NEAR_PPM = 70_000
/** So would the lines themselves. */
const SAME_PPM = 10_000
const MOST_NAMES = 2
const COLOURS = 5
/** The length of a dash, in pixels. */
const DASH = 10

interface TrustProps {
  readonly state: AppState
  /** Draws this validator alone. */
  readonly only?: string
}

interface Line {
  readonly hotkey: string
  readonly trust: number
}

/** The trust of validators, epoch by epoch. */
export function TrustChart({ state, only }: TrustProps): JSX.Element {
  const { epochs } = state
  const first = epochs[0]?.epoch ?? 0
  const lines = Object.entries(epochs.at(-1)?.trust ?? {})
    .map(([hotkey, trust]): Line => ({ hotkey, trust }))
    .filter(({ hotkey }) => only === undefined || hotkey === only)
    .sort((a, b) => a.trust - b.trust)
    .slice(0, MOST_LINES)
  return (
    <Plot
      label="Trust by validator and epoch"
      height={240}
      xs={[first, first + epochs.length + 1]}
      ys={[0, 1]}
      xName="epoch"
      yName="trust"
      yText={percentText}
    >
      {(frame) =>
        groupLines(lines).map((group) => (
          <Group key={group[0]?.hotkey} group={group} state={state} frame={frame} />
        ))
      }
    </Plot>
  )
}

interface GroupProps {
  readonly group: readonly Line[]
  readonly state: AppState
  readonly frame: Frame
}

/** Lines that end near each other, named in one place; those that overlap are dashed by turns. */
function Group({ group, state: { epochs, ...state }, frame }: GroupProps): JSX.Element {
  const nameOf = nameIn({ ...state, epochs })
  const end = (epochs.at(-1)?.epoch ?? 0) + 1
  const names = group.slice(0, MOST_NAMES).map(({ hotkey }) => nameOf(hotkey))
  const more = group.length - names.length
  if (more > 0) names.push(`${more} more`)
  return (
    <g>
      {group.map((line, i) => {
        const same = group.filter(({ trust }) => Math.abs(trust - line.trust) < SAME_PPM)
        const points = epochs.flatMap(({ epoch, trust }) => {
          const ppm = trust[line.hotkey]
          return ppm === undefined ? [] : [[epoch + 1, ppm / 1e6] as const]
        })
        return (
          <path
            key={line.hotkey}
            class={`line line-${i % COLOURS}`}
            stroke-dasharray={`${DASH} ${DASH * (same.length - 1)}`}
            stroke-dashoffset={-DASH * same.indexOf(line)}
            d={pathOf(points, frame)}
          />
        )
      })}
      <text x={frame.x(end)} y={frame.y((group[0]?.trust ?? 0) / 1e6) + 18} text-anchor="end">
        {names.map((name, i) => (
          <tspan key={name} class={`line-name line-${i}`}>
            {i > 0 && ', '}
            {name}
          </tspan>
        ))}
      </text>
    </g>
  )
}

/** Ascending lines, those together that end near the first of them. */
function groupLines(lines: readonly Line[]): readonly (readonly Line[])[] {
  const groups: Line[][] = []
  for (const line of lines) {
    const last = groups.at(-1)
    if (last?.[0] !== undefined && line.trust - last[0].trust < NEAR_PPM) last.push(line)
    else groups.push([line])
  }
  return groups
}
