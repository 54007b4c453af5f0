import { answerText, sideOf } from '@affine/report/sentences'
import type { JSX } from 'preact'
import { linkTo } from '../address.ts'
import { type DuelAccount, duelsOf, spanText } from '../app-state.ts'
import { nameIn, type Page, type StateProps } from '../page.ts'
import { absentText } from '../reading.ts'
import { Fold } from './fold.tsx'
import { Key } from './key.tsx'
import { LostList } from './lost-list.tsx'

/** Older ones are shown to those that ask. */
const MOST_DUELS = 3

interface MinerProps extends StateProps {
  readonly hotkey: string
}

/** A miner: every duel that it had, in plain words first. */
export function MinerView({ state, hotkey }: Page & MinerProps): JSX.Element {
  const duels = duelsOf(state, hotkey)
  const latest = [...duels].reverse()
  const draw = (account: DuelAccount): JSX.Element => (
    <MinerDuel key={account.duel.id} account={account} state={state} hotkey={hotkey} />
  )
  const place = state.queue?.find((row) => row.hotkey === hotkey)
  const crowned = state.epochs.filter((each) => each.crowned?.hotkey === hotkey)
  return (
    <>
      <p class="eyebrow">Miner</p>
      <h1>{nameIn(state)(hotkey)}</h1>
      <p class="mono">{hotkey}</p>
      <p class="lead">{place ? `It ${place.why}.` : state.queue && 'It is not registered.'}</p>
      {crowned.map(({ epoch }) => (
        <p key={epoch}>It took the empty throne after epoch {epoch}, without a duel.</p>
      ))}
      {latest.slice(0, MOST_DUELS).map(draw)}
      {latest.length > MOST_DUELS && (
        <Fold summary={`${latest.length - MOST_DUELS} duels before`}>
          {() => latest.slice(MOST_DUELS).map(draw)}
        </Fold>
      )}
      {duels.length === 0 && (
        <p>{absentText(state, 'It had no duel in the epochs that were read.')}</p>
      )}
    </>
  )
}

interface MinerDuelProps extends MinerProps {
  readonly account: DuelAccount
}

function MinerDuel({ account, state, hotkey }: MinerDuelProps): JSX.Element | null {
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
        As {role} against <Key state={state} hotkey={rival.hotkey} />, {spanText(account)}
      </h2>
      <p class="lead">
        <b>{answerText({ role, duel, stats }, 'it')}</b>
      </p>
      <p>
        In the lanes that count it won {won}, lost {lost} and tied {challenges - won - lost} of{' '}
        {challenges} challenges. <a href={linkTo.duel(duel.id)}>Why it has this verdict</a>.
      </p>
      <h3>Challenges that it lost, the last of each environment</h3>
      <LostList losses={losses} />
    </section>
  )
}
