import { minerDuelText, sideOf } from '@affine/report/sentences'
import type { JSX } from 'preact'
import { linkTo } from '../address.ts'
import { type DuelAccount, duelsOf, isValidator, spanText } from '../app-state.ts'
import { absentText, nameIn, type Page } from '../page.ts'
import { Losses } from './duel-view.tsx'
import { Fold, Key, Wide } from './parts.tsx'

/** Every registered miner: those that wait, and why the others do not. */
export function MinersView({ state }: Page): JSX.Element {
  const miners = state.queue?.filter(({ hotkey }) => !isValidator(state, hotkey))
  const rows = (miners ?? []).map(({ uid, hotkey, block, why }) => ({
    key: uid,
    cells: [<Key state={state} hotkey={hotkey} />, uid, why, block ?? '–'],
  }))
  return (
    <>
      <h1>Miners</h1>
      <p>
        A miner commits a model on chain, and waits for its duel with the champion. The next
        contender comes first.
      </p>
      {miners === undefined ? (
        <p>{absentText(state, '')}</p>
      ) : (
        <Wide
          label="Miners"
          columns={['miner', 'uid', 'state', 'committed at block']}
          rows={rows}
        />
      )}
    </>
  )
}

/** Older ones are shown to those that ask. */
const MOST_DUELS = 3

interface MinerProps extends Page {
  readonly hotkey: string
}

/** A miner: every duel that it had, in plain words first. */
export function MinerView(props: MinerProps): JSX.Element {
  const { state, hotkey } = props
  const duels = duelsOf(state, hotkey)
  const latest = [...duels].reverse()
  const draw = (account: DuelAccount): JSX.Element => (
    <MinerDuel key={account.duel.id} {...props} account={account} />
  )
  const place = state.queue?.find((row) => row.hotkey === hotkey)
  const seated = state.epochs.filter((each) => each.seated?.hotkey === hotkey)
  return (
    <>
      <p class="eyebrow">Miner</p>
      <h1>{nameIn(state)(hotkey)}</h1>
      <p class="mono">{hotkey}</p>
      <p class="lead">{place ? `It ${place.why}.` : state.queue && 'It is not registered.'}</p>
      {seated.map(({ epoch }) => (
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

function MinerDuel(props: MinerDuelProps): JSX.Element {
  const { account, state, hotkey } = props
  const { duel } = account
  const role = sideOf(hotkey, duel) ?? 'contender'
  const rival = role === 'champion' ? duel.contender : duel.champion
  return (
    <section class="card">
      <h2>
        As {role} against <Key state={state} hotkey={rival.hotkey} />, {spanText(account)}
      </h2>
      <p class="lead">
        <b>{minerDuelText(role, duel, duel.stats[role])}</b>
      </p>
      <p>
        <a href={linkTo.duel(duel.id)}>Why it has this verdict</a>
      </p>
      <h3>Challenges that it lost, the last of each environment</h3>
      <Losses {...props} side={role} />
    </section>
  )
}
