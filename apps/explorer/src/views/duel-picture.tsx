import type { EnvFacts } from '@affine/report'
import type { JSX } from 'preact'
import type { DuelAccount } from '../app-state.ts'
import { IntervalChart, type IntervalRow } from '../charts/interval-chart.tsx'

/** The numbers that decide, as one picture: of each environment the interval of its last look. */
export function DuelPicture({ account }: { readonly account: DuelAccount }): JSX.Element {
  const { duel, epochs } = account
  const looks = new Map(epochs.flatMap(({ envs }) => envs.map((look) => [look.env, look] as const)))
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
        rows={[...looks.values()].sort(byName).map(rowOf)}
      />
    </figure>
  )
}

const byName = (a: EnvFacts, b: EnvFacts): number => (a.env < b.env ? -1 : 1)

export function rowOf({ env, given, win, hold }: EnvFacts): IntervalRow {
  const kind = given === 'win' || given === 'hold' ? given : 'open'
  const { wins, trials, bounds } = given === 'hold' ? hold : win
  const rate = trials > 0 ? wins / trials : undefined
  return { name: env.replace(/@.*/, ''), kind, rate, bounds, note: given ?? 'open' }
}
