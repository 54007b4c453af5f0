import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { linkTo } from '../address.ts'
import { percentText } from '../charts/plot.tsx'
import { RuleCharts } from '../charts/rule-charts.tsx'
import { type Page, useAnswer } from '../page.ts'
import type { RuleAccount, Tried } from '../worker/rule.ts'
import { Wide } from './wide.tsx'

const START: Tried = { p: 0.55, ratioPpm: 510_000, alpha: 0.05, cap: 5000 }

interface RuleViewProps extends Page {
  /** What a link names. */
  readonly start: Tried | undefined
}

/** The sequential rule, to be tried: boundaries, power, and how soon it ends. */
export function RuleView({ ask, start }: RuleViewProps): JSX.Element {
  const [tried, setTried] = useState(start ?? START)
  const set = (next: Tried): void => {
    setTried(next)
    history.replaceState(null, '', linkTo.rule(next))
  }
  const by = [tried.p, tried.ratioPpm, tried.alpha, tried.cap]
  const { value: account, error } = useAnswer(() => ask('rule', tried), by)
  return (
    <>
      <h1>The rule</h1>
      <p>
        A duel is looked at after each decisive challenge: one that only one of the two solves. The
        contender wins once its share of them is surely above the ratio to beat, however often one
        looked. The champion holds once it is surely below the ratio, once a win by the cap is
        hardly possible any more, or at the cap.
      </p>
      <Sliders tried={tried} set={set} />
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
        text={percentText(p)}
        range={[0.3, 0.9, 0.005]}
        set={(value) => set({ ...tried, p: value })}
      />
      <Slider
        name="ratio to beat"
        value={ratioPpm / 1e6}
        text={percentText(ratioPpm / 1e6)}
        range={[0.5, 0.8, 0.005]}
        set={(value) => set({ ...tried, ratioPpm: Math.round(value * 1e6) })}
      />
      <Slider
        name="alpha: false wins allowed"
        value={alpha}
        text={percentText(alpha)}
        range={[0.005, 0.2, 0.005]}
        set={(value) => set({ ...tried, alpha: value })}
      />
      <Slider
        name="cap, in decisive challenges"
        value={cap}
        text={String(cap)}
        range={[100, 5000, 100]}
        set={(value) => set({ ...tried, cap: value })}
      />
    </div>
  )
}

interface SliderProps {
  readonly name: string
  readonly value: number
  readonly text: string
  readonly range: readonly [least: number, most: number, step: number]
  readonly set: (value: number) => void
}

function Slider({ name, value, text, range: [least, most, step], set }: SliderProps): JSX.Element {
  return (
    <label>
      <span>
        {name}: <b>{text}</b>
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
        `wins at p = ${percentText(tried.p)}`,
        `false wins, at p = ${percentText(tried.ratioPpm / 1e6)}`,
        'half have ended by',
        '95 % by',
      ]}
      rows={rows.map(([name, { z, win, falseWin, medianTrials, trials95 }]) => ({
        key: name,
        cells: [
          name,
          z.toFixed(2),
          percentText(win),
          <span class={falseWin > tried.alpha ? 'bad' : 'good'}>{percentText(falseWin)}</span>,
          medianTrials,
          trials95,
        ],
      }))}
    />
  )
}
