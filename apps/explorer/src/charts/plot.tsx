import { percent } from '@affine/report/sentences'
import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

/** Where values stand in a chart, in pixels. */
export interface Frame {
  readonly x: (value: number) => number
  readonly y: (value: number) => number
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

type Range = readonly [least: number, most: number]

export interface PlotProps {
  /** What it shows, for a screen reader. */
  readonly label: string
  readonly height: number
  readonly xs: Range
  readonly ys: Range
  readonly xName: string
  readonly yName: string
  readonly xTicks?: readonly number[]
  readonly yTicks?: readonly number[]
  /** How a value is written at an axis; else as a number. */
  readonly xText?: (value: number) => string
  readonly yText?: (value: number) => string
  /** Room for names on the left, in pixels. */
  readonly margin?: number
  readonly children: (frame: Frame) => ComponentChildren
}

const MARGIN = { left: 52, right: 24, top: 22, bottom: 34 }

/** Axes as wide as there is room, and what is drawn between them. */
export function Plot(props: PlotProps): JSX.Element {
  const { label, height, xs, ys, margin = MARGIN.left, children } = props
  const [box, width] = useWidth()
  const [left, right] = [margin, Math.max(margin + 1, width - MARGIN.right)]
  const [top, bottom] = [MARGIN.top, height - MARGIN.bottom]
  const x = scale(xs, [left, right])
  const y = scale(ys, [bottom, top])
  const frame = { x, y, left, right, top, bottom }
  return (
    <div class="plot" ref={box}>
      <svg width={width} height={height}>
        <title>{label}</title>
        <Axes {...props} frame={frame} />
        {children(frame)}
      </svg>
    </div>
  )
}

function Axes(props: PlotProps & { readonly frame: Frame }): JSX.Element {
  const { xs, ys, xName, yName, frame, xText = digits, yText = digits } = props
  const { x, y, left, right, top, bottom } = frame
  const wide = Math.max(2, Math.floor((right - left) / 70))
  const { xTicks = ticksIn(xs, wide), yTicks = ticksIn(ys, 5) } = props
  return (
    <g class="axes">
      {yTicks.map((value) => (
        <g key={value}>
          <line x1={left} x2={right} y1={y(value)} y2={y(value)} />
          <text x={left - 6} y={y(value) + 4} text-anchor="end">
            {yText(value)}
          </text>
        </g>
      ))}
      {xTicks.map((value) => (
        <text key={value} x={x(value)} y={bottom + 16} text-anchor="middle">
          {xText(value)}
        </text>
      ))}
      <text x={right} y={bottom + 30} text-anchor="end">
        {xName}
      </text>
      <text x={4} y={top - 9}>
        {yName}
      </text>
    </g>
  )
}

/** Of a share. */
export const percentText = (share: number): string => percent(share * 1e6)

const digits = (value: number): string => String(Number(value.toPrecision(6)))

/** A linear map, from the middle of what it maps to where all values are one. */
function scale([least, most]: Range, [from, to]: Range): (value: number) => number {
  const span = most - least
  return (value) => (span === 0 ? (from + to) / 2 : from + ((to - from) * (value - least)) / span)
}

/** Round numbers, about so many. */
function ticksIn([least, most]: Range, count: number): readonly number[] {
  if (most <= least) return [least]
  const rough = (most - least) / count
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough) ?? rough
  const ticks: number[] = []
  for (let tick = Math.ceil(least / step) * step; tick <= most + step / 1e6; tick += step)
    ticks.push(tick)
  return ticks
}

function useWidth() {
  const box = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(640)
  useEffect(() => {
    const { current } = box
    if (current === null) return undefined
    const observer = new ResizeObserver(() => setWidth(current.clientWidth))
    observer.observe(current)
    return () => observer.disconnect()
  }, [])
  return [box, width] as const
}
