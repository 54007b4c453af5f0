import type { JSX } from 'preact'
import type { Point, RuleAccount, Tried } from '../worker/rule.ts'
import { type Frame, Plot, pathOf } from './plot.tsx'

interface RuleProps {
  readonly account: RuleAccount
  readonly tried: Tried
}

/** The boundaries, the power, and when it ends. */
export function RuleCharts({ account, tried }: RuleProps): JSX.Element {
  return (
    <div class="columns">
      <figure>
        <figcaption>
          Boundaries: above the upper line it is a win, below the lower a hold. Dashed: the naive
          rule.
        </figcaption>
        <Boundaries account={account} tried={tried} />
      </figure>
      <figure>
        <figcaption>Power: how often a contender of strength p wins.</figcaption>
        <Power account={account} tried={tried} />
      </figure>
      <figure class="wide">
        <figcaption>
          When a duel ends, in decisive challenges, at p = {tried.p}: with a win above the line,
          with a hold below.
        </figcaption>
        <Ends account={account} tried={tried} />
      </figure>
    </div>
  )
}

/** Equal steps for equal factors: the first challenges are the interesting ones. */
const log = ([n, share]: Point): Point => [Math.log10(n), share]

function Boundaries({ account, tried: { cap, ratioPpm } }: RuleProps): JSX.Element {
  const { winLine, naiveLine, holdLine } = account
  const ticks = [1, 2, 3].filter((power) => 10 ** power <= cap)
  return (
    <Plot
      label="The share of wins that makes a win or a hold, by the number of challenges"
      height={280}
      xs={[1, Math.log10(cap)]}
      ys={[0, 1]}
      xTicks={ticks}
      xName="decisive challenges, powers of ten"
      yName="share won"
    >
      {(frame) => (
        <>
          <path class="path-win" d={pathOf(winLine.map(log), frame)} />
          <path class="path-naive" d={pathOf(naiveLine.map(log), frame)} />
          <path class="path-hold" d={pathOf(holdLine.map(log), frame)} />
          <line
            class="bar"
            x1={frame.left}
            x2={frame.right}
            y1={frame.y(ratioPpm / 1e6)}
            y2={frame.y(ratioPpm / 1e6)}
          />
        </>
      )}
    </Plot>
  )
}

function Power({ account: { power }, tried: { p, ratioPpm } }: RuleProps): JSX.Element {
  const [first = [0, 0], last = [1, 1]] = [power[0], power.at(-1)]
  const upright = (at: number, name: string, { x, top, bottom }: Frame) => (
    <line class={name} x1={x(at)} x2={x(at)} y1={top} y2={bottom} />
  )
  return (
    <Plot
      label="Probability to win, by strength"
      height={280}
      xs={[first[0], last[0]]}
      ys={[0, 1]}
      xName="p"
      yName="wins"
    >
      {(frame) => (
        <>
          <path class="path-win" d={pathOf(power, frame)} />
          {upright(ratioPpm / 1e6, 'bar', frame)}
          {p >= first[0] && p <= last[0] && upright(p, 'here', frame)}
        </>
      )}
    </Plot>
  )
}

function Ends({ account: { wins, holds }, tried: { cap } }: RuleProps): JSX.Element {
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
