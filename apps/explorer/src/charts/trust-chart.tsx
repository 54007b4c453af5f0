import type { JSX } from 'preact'
import type { AppState } from '../app-state.ts'
import { nameIn } from '../page.ts'
import { type Frame, Plot, pathOf, percentText } from './plot.tsx'

/** Lines that can be told apart; of more validators the least trusted are the interesting ones. */
const MOST_LINES = 16
/** A label would cover a line that ends so little below its own. */
const NEAR_PPM = 120_000
/** Lines that end closer together would cover each other. */
const SAME_PPM = 10_000
/** These end at the same value, as it is shown elsewhere. */
const EQUAL_PPM = 1000
const MOST_NAMES = 2
const COLOURS = 5
/** The length of a dash, in pixels. */
const DASH = 10
/** How far a label is below the end of a line, and below another label, in pixels. */
const [BELOW, APART] = [18, 14]

interface TrustProps {
  readonly state: AppState
  /** Draws this validator alone. */
  readonly only?: string
}

interface Line {
  readonly hotkey: string
  readonly trust: number
  readonly colour: number
}

/** The trust of validators, epoch by epoch. */
export function TrustChart({ state, only }: TrustProps): JSX.Element {
  const { epochs } = state
  const first = epochs[0]?.epoch ?? 0
  const lines = Object.entries(epochs.at(-1)?.trust ?? {})
    .filter(([hotkey]) => only === undefined || hotkey === only)
    .sort(([, a], [, b]) => a - b)
    .slice(0, MOST_LINES)
    .map(([hotkey, trust], i): Line => ({ hotkey, trust, colour: i % COLOURS }))
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
      {(frame) => (
        <>
          <Lines lines={lines} state={state} frame={frame} />
          <Labels lines={lines} state={state} frame={frame} />
        </>
      )}
    </Plot>
  )
}

interface LinesProps {
  readonly lines: readonly Line[]
  readonly state: AppState
  readonly frame: Frame
}

/** Lines that overlap at their end are dashed by turns. */
function Lines({ lines, state: { epochs }, frame }: LinesProps): JSX.Element {
  return (
    <g>
      {lines.map((line) => {
        const same = lines.filter(({ trust }) => Math.abs(trust - line.trust) < SAME_PPM)
        const points = epochs.flatMap(({ epoch, trust }) => {
          const ppm = trust[line.hotkey]
          return ppm === undefined ? [] : [[epoch + 1, ppm / 1e6] as const]
        })
        return (
          <path
            key={line.hotkey}
            class={`line line-${line.colour}`}
            stroke-dasharray={`${DASH} ${DASH * (same.length - 1)}`}
            stroke-dashoffset={-DASH * same.indexOf(line)}
            d={pathOf(points, frame)}
          />
        )
      })}
    </g>
  )
}

function Labels({ lines, state, frame }: LinesProps): JSX.Element {
  const nameOf = nameIn(state)
  const end = (state.epochs.at(-1)?.epoch ?? 0) + 1
  return (
    <g>
      {labelsFor(lines, frame.y).map(({ group, y }) => (
        <text key={y} class="line-name" x={frame.x(end)} y={y} text-anchor="end">
          {group.slice(0, MOST_NAMES).map(({ hotkey, colour }, i) => (
            <tspan key={hotkey} class={`line-name line-${colour}`}>
              {i > 0 && ', '}
              {nameOf(hotkey)}
            </tspan>
          ))}
          {group.length > MOST_NAMES && `, ${group.length - MOST_NAMES} more`}
        </text>
      ))}
    </g>
  )
}

interface Label {
  readonly group: readonly Line[]
  readonly y: number
}

/**
 * The labels of ascending lines, from the top: one for those that end at the same value, below all
 * lines that end near, and none over another.
 */
export function labelsFor(lines: readonly Line[], y: Frame['y']): readonly Label[] {
  const labels: Label[] = []
  for (const near of groupLines(lines, NEAR_PPM).reverse()) {
    const below = y((near[0]?.trust ?? 0) / 1e6) + BELOW
    for (const group of groupLines(near, EQUAL_PPM).reverse()) {
      const before = labels.at(-1)?.y ?? 0
      labels.push({ group, y: Math.max(below, before + APART) })
    }
  }
  return labels
}

/** Ascending lines, those together that end less than so far above the first of them. */
function groupLines(lines: readonly Line[], ppm: number): Line[][] {
  const groups: Line[][] = []
  for (const line of lines) {
    const last = groups.at(-1)
    if (last?.[0] !== undefined && line.trust - last[0].trust < ppm) last.push(line)
    else groups.push([line])
  }
  return groups
}
