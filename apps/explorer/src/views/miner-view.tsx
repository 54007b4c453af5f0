import { answerText, forfeitText, sideOf } from '@affine/report/sentences'
import type { JSX } from 'preact'
import { linkTo } from '../address.ts'
import { type AppState, type DuelAccount, duelsIn } from '../app-state.ts'
import { nameIn, type Page } from '../page.ts'
import { shareOf } from '../visible.ts'
import type { LostLine } from '../worker/epoch-account.ts'
import { Key } from './key.tsx'

/** A miner: every duel that it had, in plain words first. */
export function MinerView({ state, hotkey }: Page & { readonly hotkey: string }): JSX.Element {
  const duels = duelsIn(state).filter(({ duel }) => sideOf(hotkey, duel) !== undefined)
  const place = state.queue?.find((row) => row.hotkey === hotkey)
  const crowned = state.epochs.filter(
    ({ throne, heir }) => throne.includes('crowned') && heir?.hotkey === hotkey,
  )
  return (
    <>
      <p class="eyebrow">Miner</p>
      <h1>{nameIn(state)(hotkey)}</h1>
      <p class="mono">{hotkey}</p>
      <p class="lead">
        {place ? `It ${place.why}.` : state.ms !== undefined && 'It is not registered.'}
      </p>
      {crowned.map(({ epoch }) => (
        <p key={epoch}>It took the empty throne after epoch {epoch}, without a duel.</p>
      ))}
      {[...duels].reverse().map((account) => (
        <Duel key={account.duel.id} account={account} state={state} hotkey={hotkey} />
      ))}
      {duels.length === 0 && state.ms !== undefined && <p>It had no duel in the epochs read.</p>}
    </>
  )
}

interface DuelProps {
  readonly account: DuelAccount
  readonly state: AppState
  readonly hotkey: string
}

function Duel({ account, state, hotkey }: DuelProps): JSX.Element | null {
  const { duel, epochs } = account
  const role = sideOf(hotkey, duel) ?? 'contender'
  const rival = role === 'champion' ? duel.contender : duel.champion
  const last = epochs.at(-1)
  if (last === undefined) return null
  const stats = last.stats[role]
  const { won, lost, challenges, losses } = stats
  return (
    <section class="card">
      <h2>
        As {role} against <Key state={state} hotkey={rival.hotkey} />, epochs {duel.start}–
        {last.epoch}
      </h2>
      <p class="lead">
        <b>{answerText({ role, duel, stats })}</b>
      </p>
      <p>
        In the lanes that count it won {won}, lost {lost} and tied {challenges - won - lost} of{' '}
        {challenges} challenges, at a ratio to beat of {shareOf(duel.ratio)}.{' '}
        <a href={linkTo.duel(duel.id)}>Why it has this verdict</a>.
      </p>
      <Losses losses={losses} />
    </section>
  )
}

function Losses({ losses }: { readonly losses: readonly LostLine[] }): JSX.Element | null {
  if (losses.length === 0) return null
  return (
    <details open>
      <summary>The last {losses.length} lost challenges</summary>
      <ul class="losses">
        {losses.map(({ block, line, env, index, forfeit }) => (
          <li key={`${block}${line}`}>
            <a href={linkTo.sample({ block, line })}>
              {env} #{index}
            </a>
            {forfeit !== undefined && `: ${forfeitText(forfeit)}`}
          </li>
        ))}
      </ul>
    </details>
  )
}
