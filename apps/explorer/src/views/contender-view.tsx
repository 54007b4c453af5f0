import type { Decider, Side } from '@affine/report'
import {
  describeMinerDuel,
  explainVerdict,
  formatCount,
  formatWon,
  percent,
  percentRange,
} from '@affine/report/sentences'
import { type DuelAccount, formatSpan, listDuels } from '../app-state.ts'
import { describeResult, explainAbsence, type Page, useAnswer } from '../page.ts'
import { LEADS_KEY, Leads, Strips } from './bars.tsx'
import { Thumbnail } from './course-view.tsx'
import { Heading, Key, Table } from './parts.tsx'
import { Terms } from './terms.tsx'

/** Shows a contender's duel: its result, lost challenges, and the numbers behind the verdicts. */
export function ContenderView({ id, ...page }: Page & { readonly id: string }) {
  const { state } = page
  const account = listDuels(state).find(({ duel }) => duel.id === id)
  if (account === undefined)
    return (
      <>
        <Heading>A contender</Heading>
        <p>{explainAbsence(state, 'No epoch that was read contains this duel.')}</p>
      </>
    )
  const { duel } = account
  return (
    <>
      <Heading kind={`contender, ${formatSpan(account)}`}>
        <Key state={state} hotkey={duel.contender.hotkey} /> against{' '}
        <Key state={state} hotkey={duel.champion.hotkey} />
      </Heading>
      <p class="lead">{describeResult(state, account)}</p>
      <figure class="card">
        <Leads account={account} />
        <figcaption>
          <Terms>{LEADS_KEY}</Terms>{' '}
          {`It won ${duel.wins} of ${duel.counted} environments and needed ${duel.needed}.`}
        </figcaption>
      </figure>
      <div class="grid columns">
        {(['contender', 'champion'] as const).map((side) => (
          <Losses key={side} {...page} account={account} side={side} />
        ))}
      </div>
      <Decided {...page} account={account} />
    </>
  )
}

interface DuelProps extends Page {
  readonly account: DuelAccount
}

/** Shows the counts of a side, and its latest lost challenges as pictures. */
function Losses({ account, side, ...page }: DuelProps & { readonly side: Side }) {
  const { duel, epochs } = account
  const { value, error } = useAnswer(page.ask, ['duel', duel.id], [epochs.length])
  const losses = value?.[side]
  return (
    <section>
      <h2>
        {formatCount(duel.stats[side].lost, 'challenge')} lost by{' '}
        <Key state={page.state} hotkey={duel[side].hotkey} />, the {side}
      </h2>
      <p class="caption">{describeMinerDuel(side, duel, duel.stats[side]).join(' ')}</p>
      {losses === undefined && <p>{error ?? 'Reading…'}</p>}
      {losses?.length === 0 && <p>No lost challenge counts.</p>}
      <ul class="plain grid thumbnails">
        {losses?.map((loss) => (
          <Thumbnail key={loss.block + loss.line} {...page} loss={loss} side={side} />
        ))}
      </ul>
    </section>
  )
}

/** Shows the results of each validator, and every analysis with its result. */
function Decided({ account, ...page }: DuelProps) {
  return (
    <details class="fold">
      <summary>How this was decided</summary>
      <Strips {...page} account={account} />
      <p>
        <Terms>{TESTS}</Terms>
      </p>
      <AnalysisTable account={account} />
    </details>
  )
}

const TESTS =
  'Two tests over the decisive challenges give a verdict: one for a win, and one for a hold, ' +
  'with which the champion keeps the environment. Each omits (trims) the third of the ' +
  'validators’ weight that favours its verdict most, so that a third of liars decides nothing. ' +
  'The score is the distance of the wins above the ratio to beat, less an allowance for luck, in ' +
  'standard deviations; a win needs a minimum score.'

function AnalysisTable({ account: { analyses } }: Pick<DuelProps, 'account'>) {
  const rows = analyses.map((analysis) => ({
    epoch: analysis.epoch,
    environment: analysis.env,
    'won : lost : tied': `${analysis.wins} : ${analysis.losses} : ${analysis.ties}`,
    'test for a win': formatTest(analysis.win),
    'test for a hold': formatTest(analysis.hold),
    'decisive challenges': percent(analysis.decisivePpm ?? 0),
    result: `${analysis.given ?? 'open'}: ${explainVerdict(analysis)}`,
  }))
  return <Table title="The numbers, epoch by epoch" rows={rows} />
}

const formatTest = (decider: Decider): string =>
  formatWon(decider) + (decider.bounds ? `: ${percentRange(decider.bounds)}` : '')
