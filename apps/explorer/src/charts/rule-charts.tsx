import type { JSX } from 'preact'
import type { Point, RuleAccount, Tried } from '../worker/rule.ts'
import { EndsChart } from './ends-chart.tsx'
import { type Frame, Plot, pathOf, percentText } from './plot.tsx'

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
          When it ends: above the blue line with a win, below the golden one with a hold. Dashed:
          the naive rule’s win.
        </figcaption>
        <Boundaries account={account} tried={tried} />
      </figure>
      <figure>
        <figcaption>
          How often a contender wins, by the share p of decisive challenges that it wins.
        </figcaption>
        <Power account={account} tried={tried} />
      </figure>
      <figure class="wide">
        <figcaption>
          After how many decisive challenges a duel ends, at p = {percentText(tried.p)}: with a win
          above the line, with a hold below.
        </figcaption>
        <EndsChart account={account} cap={tried.cap} />
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
      xText={(power) => String(10 ** power)}
      xName="decisive challenges"
      yName="won by the contender"
      yText={percentText}
    >
      {(frame) => (
        <>
          <path class="path-win" d={pathOf(winLine.map(log), frame)} />
          <path class="path-naive" d={pathOf(naiveLine.map(log), frame)} />
          <path class="path-hold" d={pathOf(holdLine.map(log), frame)} />
          <LineName name="win" line={winLine} frame={frame} dy={-16} />
          <LineName name="naive win" line={naiveLine} frame={frame} dy={18} />
          <LineName name="hold" line={holdLine} frame={frame} dy={22} />
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

interface LineProps {
  readonly name: string
  readonly line: readonly Point[]
  readonly frame: Frame
  /** Below the line so many pixels. */
  readonly dy: number
}

/** The name of a line, where the lines are apart. */
function LineName({ name, line, frame, dy }: LineProps): JSX.Element | null {
  const at = line[line.length >> 2]
  if (at === undefined) return null
  const [x, y] = log(at)
  return (
    <text x={frame.x(x)} y={frame.y(y) + dy} text-anchor="middle">
      {name}
    </text>
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
      xText={percentText}
      xName="p"
      yName="duels won"
      yText={percentText}
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
