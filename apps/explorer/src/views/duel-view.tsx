import type { Verdict } from '@affine/duel'
import type { PerSide } from '@affine/envs'
import type { EnvFacts, Side } from '@affine/report'
import { forfeitText, laneText, percent, verdictTexts } from '@affine/report/sentences'
import type { JSX } from 'preact'
import { linkTo } from '../address.ts'
import { type DuelAccount, duelsIn, lastLooks, spanText } from '../app-state.ts'
import { IntervalChart, type IntervalRow } from '../charts/interval-chart.tsx'
import { absentText, outcomeText, type Page, useAnswer } from '../page.ts'
import type { EpochAccount, LostLine } from '../worker/epoch-accounts.ts'
import { EnvSection } from './env-section.tsx'
import { BigNumber, Fold, Key, Numbers, Wide } from './parts.tsx'

/** A duel: who won it and by how much, its challenges, and how it was decided. */
export function DuelView({ id, ...page }: Page & { readonly id: string }): JSX.Element {
  const { state } = page
  const account = duelsIn(state).find(({ duel }) => duel.id === id)
  if (account === undefined)
    return (
      <>
        <h1>A duel</h1>
        <p>{absentText(state, 'No epoch that was read has this duel.')}</p>
      </>
    )
  const { duel } = account
  return (
    <>
      <p class="eyebrow">Duel, from epoch {duel.start}</p>
      <h1>
        <Key state={state} hotkey={duel.contender.hotkey} /> against{' '}
        <Key state={state} hotkey={duel.champion.hotkey} />
      </h1>
      <p class="lead">{outcomeText(state, account)}.</p>
      <DuelNumbers account={account} />
      <DuelPicture account={account} />
      <Challenges account={account} {...page} />
      <Fold summary="How this was decided">
        {() => (
          <>
            <p>
              Each test leaves out the third of the weight that favours its verdict most; each bar
              is a test’s interval. Rings mark lanes: blue, left out of the test for a win, all or
              in part; golden, of the test for a hold; red, set aside as too far from the others.
            </p>
            {lastLooks(account).map((last) => (
              <EnvSection key={last.look.env} {...page} account={account} last={last} />
            ))}
            <Lanes account={account} {...page} />
          </>
        )}
      </Fold>
    </>
  )
}

interface DuelProps extends Page {
  readonly account: DuelAccount
}

function DuelNumbers({ account }: Pick<DuelProps, 'account'>): JSX.Element {
  const { duel, epochs } = account
  const { won, lost, challenges } = duel.stats.contender
  const decisive = won + lost
  const isPart = epochs[0]?.epoch !== duel.start
  return (
    <Numbers>
      <BigNumber
        name="The contender won"
        value={decisive === 0 ? '–' : percent((1e6 * won) / decisive)}
      >
        {won} of the {decisive} challenges that only one of the two solved
        {isPart && ` in ${spanText(account)}`}; {challenges - decisive} were ties
      </BigNumber>
      <BigNumber name="It has to beat" value={percent(account.ratio)}>
        by more than luck and a third of liars can explain
      </BigNumber>
      <BigNumber name="Environments won" value={`${duel.wins} of ${duel.counted}`}>
        {duel.needed} needed; those that are even count for neither
      </BigNumber>
    </Numbers>
  )
}

function Challenges(props: DuelProps): JSX.Element {
  const { account, state } = props
  return (
    <section>
      <h2>Challenges</h2>
      <p>
        The last ones of each environment. Each validator numbers its own, from 0 in every epoch.
      </p>
      <div class="columns">
        {(['contender', 'champion'] as const).map((side) => (
          <div key={side}>
            <h3>
              The {side}, <Key state={state} hotkey={account.duel[side].hotkey} />, lost
            </h3>
            <Losses {...props} side={side} />
          </div>
        ))}
      </div>
    </section>
  )
}

function Lanes({ account, state }: DuelProps): JSX.Element {
  const { duel, epochs } = account
  const validators = epochs.flatMap(({ lanes }) => lanes.map(({ validator }) => validator))
  const rows = [...new Set(validators)].map((hotkey) => ({
    key: hotkey,
    cells: [
      <Key state={state} hotkey={hotkey} />,
      ...epochs.map((epoch) => laneIn(epoch, { hotkey, contender: duel.contender.hotkey })),
    ],
  }))
  return (
    <section>
      <h2>Verdicts and lanes</h2>
      <ul>
        {verdictTexts(duel).map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
      <Wide label="Lanes" columns={['validator', ...epochs.map(columnOf)]} rows={rows} />
    </section>
  )
}

const columnOf = ({ epoch, frozen }: EpochAccount): string =>
  `epoch ${epoch}${frozen ? ', frozen' : ''}`

/** What became of a lane in an epoch, as far as it concerns one duel. */
function laneIn(
  { lanes }: EpochAccount,
  { hotkey, contender }: { readonly hotkey: string; readonly contender: string },
): string {
  const lane = lanes.find(({ validator }) => validator === hotkey)
  if (lane === undefined) return 'was not due'
  const setAside = lane.setAside.filter(({ contenders }) => contenders.includes(contender))
  const text = laneText({ ...lane, setAside })
  return lane.fault === undefined ? text : `${text}: ${lane.fault}`
}

/** The numbers that decide, as one picture: of each environment the interval of its last look. */
function DuelPicture({ account }: Pick<DuelProps, 'account'>): JSX.Element {
  const { duel } = account
  return (
    <figure>
      <figcaption>
        What share of these challenges the contender wins, as far as luck lets one know. Blue: it
        has won the environment. Golden: the champion holds it. Grey: neither.
      </figcaption>
      <IntervalChart
        label="What the contender wins in each environment, beside the ratio to beat"
        ratioPpm={account.ratio}
        rows={lastLooks(account).map(({ look }) => rowOf(look, duel.verdicts[look.env]))}
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

/** By duel: to whom comes back, a view is at once as long as it was, and scrolled as it was. */
const answered = new Map<string, PerSide<readonly LostLine[]>>()

/** The challenges that a side lost, the last ones of each environment. */
export function Losses({
  ask,
  account: { duel, epochs },
  side,
}: DuelProps & { readonly side: Side }): JSX.Element {
  const answer = async () => {
    answered.set(duel.id, await ask('losses', duel.id))
  }
  const { error } = useAnswer(answer, [duel.id, epochs.length])
  const value = answered.get(duel.id)
  return value ? <LostList losses={value[side]} /> : <p>{error ?? 'Reading…'}</p>
}

/** Each is a link to how it was played. */
function LostList({ losses }: { readonly losses: readonly LostLine[] }): JSX.Element {
  const envs = [...new Set(losses.map(({ env }) => env))]
  if (envs.length === 0) return <p>No challenge that counts.</p>
  return (
    <ul class="losses">
      {envs.map((env) => (
        <li key={env}>
          {env}:{' '}
          {losses
            .filter((loss) => loss.env === env)
            .map(({ block, line, index, forfeit }) => (
              <a
                key={`${block}${line}`}
                href={linkTo.sample({ block, line })}
                aria-label={`${env} #${index}`}
                title={forfeit === undefined ? undefined : `forfeited: ${forfeitText(forfeit)}`}
              >
                #{index}
                {forfeit !== undefined && '†'}
              </a>
            ))}
        </li>
      ))}
      {losses.some(({ forfeit }) => forfeit !== undefined) && <li>† forfeited</li>}
    </ul>
  )
}
