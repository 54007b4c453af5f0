import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { RuleCharts } from '../charts/rule-charts.tsx'
import { type Page, useAnswer } from '../page.ts'
import type { RuleAccount, Tried } from '../worker/rule.ts'
import { Wide } from './wide.tsx'

const START: Tried = { p: 0.55, ratioPpm: 510_000, alpha: 0.05, cap: 5000 }

/** The sequential rule, to be tried: boundaries, power, and how soon it ends. */
export function RuleView({ ask }: Page): JSX.Element {
  const [tried, setTried] = useState(START)
  const by = [tried.p, tried.ratioPpm, tried.alpha, tried.cap]
  const { value: account, error } = useAnswer(() => ask('rule', tried), by)
  return (
    <>
      <h1>The rule</h1>
      <p>
        The rule looks after each decisive challenge. It is a win when the lower Wilson bound
        reaches the ratio to beat, with a z that allows for all the looks up to the cap. It is a
        hold at the cap, when the upper bound is below the ratio, or when the wins fall to a line
        below which a win by the cap is hardly possible. This page computes it exactly.
      </p>
      <Sliders tried={tried} set={setTried} />
      {error !== undefined && <p class="bad">{error}</p>}
      {account && <Behaviours account={account} tried={tried} />}
      {account && <RuleCharts account={account} tried={tried} />}
    </>
  )
}

interface SlidersProps {
  readonly tried: Tried
  readonly set: (tried: Tried) => void
}

function Sliders({ tried, set }: SlidersProps): JSX.Element {
  const { p, ratioPpm, alpha, cap } = tried
  return (
    <div class="sliders">
      <Slider
        name="p: the contender wins"
        value={p}
        range={[0.3, 0.9, 0.005]}
        set={(value) => set({ ...tried, p: value })}
      />
      <Slider
        name="ratio to beat"
        value={ratioPpm / 1e6}
        range={[0.5, 0.8, 0.005]}
        set={(value) => set({ ...tried, ratioPpm: Math.round(value * 1e6) })}
      />
      <Slider
        name="alpha: false wins allowed"
        value={alpha}
        range={[0.005, 0.2, 0.005]}
        set={(value) => set({ ...tried, alpha: value })}
      />
      <Slider
        name="cap, in decisive challenges"
        value={cap}
        range={[100, 5000, 100]}
        set={(value) => set({ ...tried, cap: value })}
      />
    </div>
  )
}

interface SliderProps {
  readonly name: string
  readonly value: number
  readonly range: readonly [least: number, most: number, step: number]
  readonly set: (value: number) => void
}

function Slider({ name, value, range: [least, most, step], set }: SliderProps): JSX.Element {
  return (
    <label>
      <span>
        {name}: <b>{value}</b>
      </span>
      <input
        type="range"
        min={least}
        max={most}
        step={step}
        value={value}
        onChange={({ currentTarget }) => set(Number(currentTarget.value))}
      />
    </label>
  )
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`

interface AccountProps {
  readonly account: RuleAccount
  readonly tried: Tried
}

function Behaviours({ account: { calibrated, naive }, tried }: AccountProps): JSX.Element {
  const rows = [
    ['the rule', calibrated],
    ['naive: the z of one look', naive],
  ] as const
  return (
    <Wide
      label="The rule and the naive one"
      columns={[
        'with',
        'z',
        `wins at p = ${tried.p}`,
        `false wins, at p = ${tried.ratioPpm / 1e6}`,
        'half have ended by',
        '95 % by',
      ]}
    >
      {rows.map(([name, { z, win, falseWin, medianTrials, trials95 }]) => (
        <tr key={name}>
          <td>{name}</td>
          <td>{z.toFixed(2)}</td>
          <td>{percent(win)}</td>
          <td class={falseWin > tried.alpha ? 'bad' : 'good'}>{percent(falseWin)}</td>
          <td>{medianTrials}</td>
          <td>{trials95}</td>
        </tr>
      ))}
    </Wide>
  )
}
