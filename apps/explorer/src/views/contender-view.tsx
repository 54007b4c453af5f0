import type { Decider, Side } from '@affine/report'
import {
  describeMinerDuel,
  explainVerdict,
  formatVerdicts,
  formatWon,
  percent,
  percentRange,
} from '@affine/report/sentences'
import type { JSX } from 'preact'
import { type DuelAccount, formatSpan, listDuels } from '../app-state.ts'
import { describeResult, explainAbsence, type Page, useAnswer } from '../page.ts'
import type { LostLine } from '../worker/epoch-accounts.ts'
import { LEADS_KEY, Leads, Strips } from './bars.tsx'
import { Thumbnail } from './course-view.tsx'
import { Few, Heading, Key, Table } from './parts.tsx'

/** A contender's duel: how it ended and why, some of its challenges, and how it was decided. */
export function ContenderView({ id, ...page }: Page & { readonly id: string }): JSX.Element {
  const { state } = page
  const account = listDuels(state).find(({ duel }) => duel.id === id)
  if (account === undefined)
    return (
      <>
        <Heading>A contender</Heading>
        <p>{explainAbsence(state, 'No epoch that was read has this duel.')}</p>
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
          {LEADS_KEY} It won {duel.wins} of {duel.counted}, and needed {duel.needed}.
        </figcaption>
      </figure>
      <div class="columns">
        {(['contender', 'champion'] as const).map((side) => (
          <Losses key={side} {...page} account={account} side={side} />
        ))}
      </div>
      <details class="fold">
        <summary>How this was decided</summary>
        <Decided {...page} account={account} />
      </details>
    </>
  )
}

interface DuelProps extends Page {
  readonly account: DuelAccount
}

/** What a side did, and the last challenges that it lost, as pictures. */
function Losses({ account, side, ...page }: DuelProps & { readonly side: Side }): JSX.Element {
  const { duel, epochs } = account
  const { value, error } = useAnswer(page.ask, ['losses', duel.id], [epochs.length])
  const losses = value && alternateEnvs(value[side])
  return (
    <section>
      <h2>
        What <Key state={page.state} hotkey={duel[side].hotkey} />, the {side}, lost
      </h2>
      <p class="caption">{describeMinerDuel(side, duel, duel.stats[side])}</p>
      {losses === undefined && <p>{error ?? 'Reading…'}</p>}
      {losses?.length === 0 && <p>No challenge that counts.</p>}
      <ul class="thumbnails">
        <Few limit={5}>
          {(losses ?? []).map((loss) => (
            <Thumbnail key={loss.block + loss.line} {...page} loss={loss} side={side} />
          ))}
        </Few>
      </ul>
    </section>
  )
}

/** The last of each environment by turns, those with a legal answer first: they show the most. */
function alternateEnvs(losses: readonly LostLine[]): readonly LostLine[] {
  const best = [...losses]
    .reverse()
    .sort((a, b) => Number(a.forfeit !== undefined) - Number(b.forfeit !== undefined))
  const rankOf = (loss: LostLine): number =>
    best.filter(({ env }) => env === loss.env).indexOf(loss)
  return [...best].sort((a, b) => rankOf(a) - rankOf(b))
}

function Decided(props: DuelProps): JSX.Element {
  const { account } = props
  return (
    <>
      <ul>
        {formatVerdicts(
          account.duel,
          account.analyses.map(({ analysis }) => analysis),
        ).map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
      <Strips {...props} />
      <p>
        Two tests decide, each over the challenges that only one of the two solved: one for a win,
        one for a hold, with which the champion keeps the environment. Each leaves out (trims) the
        third of the validators’ weight that favours its verdict most, so that a third of liars
        decides nothing. The score is how far the wins are above the line, in deviations of luck,
        and how far they have to be.
      </p>
      <AnalysisTable account={account} />
    </>
  )
}

/** The counts and the intervals that decide, epoch by epoch. */
function AnalysisTable({ account: { analyses } }: Pick<DuelProps, 'account'>): JSX.Element {
  const rows = analyses.map(({ epoch, analysis }) => {
    const { env, win, hold, decisivePpm = 0 } = analysis
    return {
      key: `${epoch} ${env}`,
      cells: {
        epoch,
        environment: env,
        'won : lost : tied': `${analysis.wins} : ${analysis.losses} : ${analysis.ties}`,
        'test for a win': formatTest(win),
        'test for a hold': formatTest(hold),
        'that tell the two apart': percent(decisivePpm),
        result: `${analysis.given ?? 'undecided'}: ${explainVerdict(analysis)}`,
      },
    }
  })
  return <Table title="What decides, epoch by epoch" rows={rows} />
}

const formatTest = (decider: Decider): string =>
  formatWon(decider) + (decider.bounds ? `: ${percentRange(decider.bounds)}` : '')
