import type { Verdict } from '@affine/duel'
import type { EnvFacts } from '@affine/report'
import type { JSX } from 'preact'
import { type DuelAccount, lastLooks } from '../app-state.ts'
import { IntervalChart, type IntervalRow } from '../charts/interval-chart.tsx'

/** The numbers that decide, as one picture: of each environment the interval of its last look. */
export function DuelPicture({ account }: { readonly account: DuelAccount }): JSX.Element {
  const { duel } = account
  return (
    <figure>
      <figcaption>
        What share of these challenges the contender wins, as far as luck lets one know. Blue: it
        wins the environment, as the whole bar is right of the line, or by its score. Golden: the
        champion holds it. Grey: neither.
      </figcaption>
      <IntervalChart
        label="What the contender wins in each environment, beside the ratio to beat"
        ratioPpm={duel.ratio}
        rows={lastLooks(account).map((look) => rowOf(look, duel.verdicts[look.env]))}
      />
    </figure>
  )
}

/** A look as a row, with its environment's verdict now: one that it gave may be taken back. */
export function rowOf({ env, win, hold }: EnvFacts, verdict: Verdict | undefined): IntervalRow {
  const kind = verdict === 'win' || verdict === 'hold' ? verdict : 'open'
  const { wins, trials, bounds } = verdict === 'hold' ? hold : win
  const rate = trials > 0 ? wins / trials : undefined
  return { name: env.replace(/@.*/, ''), kind, rate, bounds, note: verdict ?? 'open' }
}
