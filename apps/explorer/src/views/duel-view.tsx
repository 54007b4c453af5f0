import type { JSX } from 'preact'
import { type DuelAccount, duelsIn } from '../book.ts'
import { nameIn, type Page } from '../page.ts'
import { shareOf } from '../visible.ts'
import { endingWords, neededOf, VERDICTS, wonOf } from '../words.ts'
import type { DuelTurn, EpochAccount } from '../worker/epoch-account.ts'
import { Copies } from './copies.tsx'
import { EnvSection } from './env-section.tsx'
import { Key } from './key.tsx'
import { Wide } from './wide.tsx'

/** A duel: why each environment has the verdict that it has. */
export function DuelView({ id, ...page }: Page & { readonly id: string }): JSX.Element {
  const { book } = page
  const account = duelsIn(book).find(({ duel }) => duel.id === id)
  if (account === undefined)
    return (
      <>
        <h1>A duel</h1>
        <p>{book.ms === undefined ? 'Reading…' : 'No epoch that was read has this duel.'}</p>
      </>
    )
  const { duel, epochs, end } = account
  const envs = [...new Set(epochs.flatMap(({ envs }) => envs.map(({ env }) => env)))].sort()
  return (
    <>
      <p class="eyebrow">Duel, from epoch {duel.start}</p>
      <h1>
        <Key book={book} hotkey={duel.contender.hotkey} /> against{' '}
        <Key book={book} hotkey={duel.champion.hotkey} />
      </h1>
      <p class="lead">{end ? endingWords(end, nameIn(book)).join(' ') : 'It goes on.'}</p>
      <p>
        The ratio to beat is <b>{shareOf(duel.ratio)}</b>: of the challenges that only one of the
        two solves, the contender has to win more, by more than luck and a third of liars can
        explain.
      </p>
      <Verdicts duel={duel} envs={envs} />
      {envs.map((env) => (
        <EnvSection key={env} book={book} account={account} env={env} />
      ))}
      <Lanes account={account} book={book} />
      <Copies key={id} {...page} epochs={epochs} />
    </>
  )
}

function Verdicts({ duel, envs }: { readonly duel: DuelTurn; readonly envs: readonly string[] }) {
  return (
    <section>
      <h2>
        {wonOf(duel)} of {duel.environments} environments won, {neededOf(duel)} needed
      </h2>
      <ul>
        {envs.map((env) => {
          const verdict = duel.verdicts[env] ?? 'open'
          return (
            <li key={env}>
              {env}: <b class={`verdict verdict-${verdict}`}>{verdict}</b>, as {VERDICTS[verdict]}
            </li>
          )
        })}
      </ul>
    </section>
  )
}

function Lanes({ account, book }: Pick<Page, 'book'> & { readonly account: DuelAccount }) {
  return (
    <section>
      <h2>Lanes</h2>
      <Wide
        label="Lanes"
        columns={['validator', ...account.epochs.map(({ epoch }) => `epoch ${epoch}`)]}
      >
        {validatorsIn(account.epochs).map((hotkey) => (
          <tr key={hotkey}>
            <td>
              <Key book={book} hotkey={hotkey} />
            </td>
            {account.epochs.map((epoch) => (
              <td key={epoch.epoch}>{laneWords(epoch, hotkey)}</td>
            ))}
          </tr>
        ))}
      </Wide>
    </section>
  )
}

const validatorsIn = (epochs: readonly EpochAccount[]): readonly string[] => [
  ...new Set(epochs.flatMap(({ lanes }) => lanes.map(({ validator }) => validator))),
]

/** What became of a lane in an epoch. */
function laneWords({ lanes, frozen }: EpochAccount, hotkey: string): string {
  const lane = lanes.find(({ validator }) => validator === hotkey)
  if (lane === undefined) return 'was not due'
  if (frozen) return 'frozen: too few attested'
  if (!lane.sealed) return '✘ not sealed'
  if (lane.fault !== undefined) return `✘ ${lane.fault.split(':')[0]}`
  if (!lane.accepted) return lane.whole ? '✘ not attested by enough' : '✘ not whole'
  return lane.setAside.length > 0 ? `✘ set aside in ${lane.setAside.join(', ')}` : '✔ counts'
}
