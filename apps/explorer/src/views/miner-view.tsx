import type { JSX } from 'preact'
import { linkTo } from '../address.ts'
import { type Book, type DuelAccount, duelsIn } from '../book.ts'
import type { Lost, Side } from '../deeds.ts'
import { nameIn, type Page } from '../page.ts'
import { shareOf } from '../visible.ts'
import { deedsOf, forfeitWords, minerWords } from '../words.ts'
import { Key } from './key.tsx'

/** A miner: every duel that it had, in plain words first. */
export function MinerView({ book, hotkey }: Page & { readonly hotkey: string }): JSX.Element {
  const duels = duelsIn(book).filter(({ duel }) => sideOf(duel, hotkey) !== undefined)
  const place = book.queue?.find((row) => row.hotkey === hotkey)
  const crowned = book.epochs.filter(
    ({ endings, heir }) => endings.includes('crowned') && heir?.hotkey === hotkey,
  )
  return (
    <>
      <p class="eyebrow">Miner</p>
      <h1>{nameIn(book)(hotkey)}</h1>
      <p class="mono">{hotkey}</p>
      <p class="lead">
        {place ? `It ${place.why}.` : book.ms !== undefined && 'It is not registered.'}
      </p>
      {crowned.map(({ epoch }) => (
        <p key={epoch}>It took the empty throne after epoch {epoch}, without a duel.</p>
      ))}
      {[...duels].reverse().map((account) => (
        <Duel key={account.duel.id} account={account} book={book} hotkey={hotkey} />
      ))}
      {duels.length === 0 && book.ms !== undefined && <p>It had no duel in the epochs read.</p>}
    </>
  )
}

function sideOf({ champion, contender }: DuelAccount['duel'], hotkey: string): Side | undefined {
  if (champion.hotkey === hotkey) return 'champion'
  return contender.hotkey === hotkey ? 'contender' : undefined
}

interface DuelProps {
  readonly account: DuelAccount
  readonly book: Book
  readonly hotkey: string
}

function Duel({ account, book, hotkey }: DuelProps): JSX.Element {
  const { duel, epochs } = account
  const side = sideOf(duel, hotkey) ?? 'contender'
  const rival = side === 'champion' ? duel.contender : duel.champion
  const [first = '', ...more] = minerWords(account, side)
  const { won, lost, challenges, losses } = deedsOf(account, side)
  return (
    <section class="card">
      <h2>
        As {side} against <Key book={book} hotkey={rival.hotkey} />, epochs {duel.start}–
        {epochs.at(-1)?.epoch}
      </h2>
      <p class="lead">
        <b>{first}</b> {more.join(' ')}
      </p>
      <p>
        In the lanes that count it won {won}, lost {lost} and tied {challenges - won - lost} of{' '}
        {challenges} challenges, at a ratio to beat of {shareOf(duel.ratio)}.{' '}
        <a href={linkTo.duel(duel.id)}>Why the verdict is what it is</a>.
      </p>
      <Losses losses={losses} />
    </section>
  )
}

function Losses({ losses }: { readonly losses: readonly Lost[] }): JSX.Element | null {
  if (losses.length === 0) return null
  return (
    <details open>
      <summary>The last {losses.length} challenges that it lost</summary>
      <ul class="losses">
        {losses.map(({ block, line, env, index, forfeit }) => (
          <li key={`${block}${line}`}>
            <a href={linkTo.sample({ block, line })}>
              {env} #{index}
            </a>
            {forfeit !== undefined && `: ${forfeitWords(forfeit)}`}
          </li>
        ))}
      </ul>
    </details>
  )
}
