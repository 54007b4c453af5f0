import type { Bounds } from '@affine/report'
import { percent, percentRange } from '@affine/report/sentences'
import type { JSX } from 'preact'
import { type Frame, Plot, percentText } from './plot.tsx'

/** A lane counts in both, or is trimmed from the tally for a win or a hold, or is set aside. */
export type LaneKind = 'lane' | 'lane-no-win' | 'lane-no-hold' | 'lane-aside'

/** A row of the chart: an interval, its rate, and how it is marked. */
export interface IntervalRow {
  readonly name: string
  readonly kind: 'win' | 'hold' | 'open' | LaneKind
  /** A share; undefined where nothing was decided. */
  readonly rate: number | undefined
  readonly bounds: Bounds | undefined
  /** What stands behind the row. */
  readonly note: string
}

const ROW = 24

/** Intervals one below the other, against the ratio to beat. */
export function IntervalChart({
  label,
  rows,
  ratioPpm,
}: {
  readonly label: string
  readonly rows: readonly IntervalRow[]
  readonly ratioPpm: number
}): JSX.Element {
  return (
    <Plot
      label={label}
      height={rows.length * ROW + 62}
      xs={[0, 1]}
      ys={[rows.length, 0]}
      margin={76}
      yTicks={[]}
      xTicks={[0, 0.25, 0.5, 0.75, 1]}
      xText={percentText}
      xName="won by the contender"
      yName={`┃ ratio to beat: ${percent(ratioPpm)}`}
    >
      {(frame) => (
        <>
          {rows.map((row, i) => (
            <Row key={row.name + row.kind} row={row} at={i + 0.5} frame={frame} />
          ))}
          <line
            class="bar"
            x1={frame.x(ratioPpm / 1e6)}
            x2={frame.x(ratioPpm / 1e6)}
            y1={frame.top}
            y2={frame.bottom}
          />
        </>
      )}
    </Plot>
  )
}

interface RowProps {
  readonly row: IntervalRow
  readonly at: number
  readonly frame: Frame
}

function Row({ row, at, frame: { x, y } }: RowProps): JSX.Element {
  const { name, kind, rate, bounds, note } = row
  const middle = y(at)
  const said = bounds ? percentRange(bounds) : 'nothing decisive'
  return (
    <g class={`row row-${kind.slice(0, 4)} row-${kind}`}>
      <title>{`${name}: ${said}. ${note}`}</title>
      {bounds && (
        <rect
          x={x(bounds.lower / 1e6)}
          y={middle - 4}
          width={Math.max(1, x(bounds.upper / 1e6) - x(bounds.lower / 1e6))}
          height="8"
          rx="4"
        />
      )}
      {rate !== undefined && <circle cx={x(rate)} cy={middle} r="5" />}
      <text x={x(0)} y={middle + 4} text-anchor="end" dx="-6">
        {name}
      </text>
    </g>
  )
}
