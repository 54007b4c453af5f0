import type { JSX } from 'preact'
import type { Point, RuleAccount } from '../worker/rule.ts'
import { Plot } from './plot.tsx'

interface EndsProps {
  readonly account: Pick<RuleAccount, 'wins' | 'holds'>
  readonly cap: number
}

/** After how many challenges duels end: with a win above the line, with a hold below. */
export function EndsChart({ account: { wins, holds }, cap }: EndsProps): JSX.Element {
  const most = (points: readonly Point[]): number =>
    Math.max(...points.map(([, share]) => share), 0.005)
  const width = cap / wins.length
  return (
    <Plot
      label="How often a duel ends after a number of challenges"
      height={240}
      xs={[0, cap]}
      ys={[-most(holds), most(wins)]}
      yTicks={[0]}
      xName="decisive challenges"
      yName="share of duels"
    >
      {({ x, y }) => (
        <>
          {wins.map(([n, share]) => (
            <rect
              key={`w${n}`}
              class="end-win"
              x={x(n - width)}
              width={Math.max(1, x(width) - x(0) - 1)}
              y={y(share)}
              height={y(0) - y(share)}
            />
          ))}
          {holds.map(([n, share]) => (
            <rect
              key={`h${n}`}
              class="end-hold"
              x={x(n - width)}
              width={Math.max(1, x(width) - x(0) - 1)}
              y={y(0)}
              height={y(-share) - y(0)}
            />
          ))}
        </>
      )}
    </Plot>
  )
}
