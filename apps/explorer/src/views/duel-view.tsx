import type { DuelFacts } from '@affine/report'
import { laneText, throneTexts, verdictText, winsText } from '@affine/report/sentences'
import type { JSX } from 'preact'
import { type DuelAccount, duelsIn } from '../app-state.ts'
import { nameIn, type Page } from '../page.ts'
import { shareOf } from '../visible.ts'
import type { EpochAccount } from '../worker/epoch-account.ts'
import { Copies } from './copies.tsx'
import { EnvSection } from './env-section.tsx'
import { Key } from './key.tsx'
import { Wide } from './wide.tsx'

/** A duel: why each environment has the verdict that it has. */
export function DuelView({ id, ...page }: Page & { readonly id: string }): JSX.Element {
  const { state } = page
  const account = duelsIn(state).find(({ duel }) => duel.id === id)
  if (account === undefined)
    return (
      <>
        <h1>A duel</h1>
        <p>{state.ms === undefined ? 'Reading…' : 'No epoch that was read has this duel.'}</p>
      </>
    )
  const { duel, epochs, end } = account
  const envs = [...new Set(epochs.flatMap(({ envs }) => envs.map(({ env }) => env)))].sort()
  return (
    <>
      <p class="eyebrow">Duel, from epoch {duel.start}</p>
      <h1>
        <Key state={state} hotkey={duel.contender.hotkey} /> against{' '}
        <Key state={state} hotkey={duel.champion.hotkey} />
      </h1>
      <p class="lead">{end ? throneTexts(end, nameIn(state)).join('. ') : 'It goes on.'}</p>
      <p>
        The ratio to beat is <b>{shareOf(duel.ratio)}</b>: of the challenges that only one of the
        two solves, the contender has to win more, by more than luck and a third of liars can
        explain.
      </p>
      <Verdicts duel={duel} envs={envs} />
      {envs.map((env) => (
        <EnvSection key={env} state={state} account={account} env={env} />
      ))}
      <Lanes account={account} state={state} />
      <Copies key={id} {...page} epochs={epochs} />
    </>
  )
}

function Verdicts({ duel, envs }: { readonly duel: DuelFacts; readonly envs: readonly string[] }) {
  return (
    <section>
      <h2>Environments</h2>
      <p>{winsText(duel, 'The contender has ')}.</p>
      <ul>
        {envs.map((env) => {
          const verdict = duel.verdicts[env]
          return (
            <li key={env}>
              {env}: <span class={`verdict-${verdict ?? 'open'}`}>{verdictText(verdict)}</span>
            </li>
          )
        })}
      </ul>
    </section>
  )
}

function Lanes({ account, state }: Pick<Page, 'state'> & { readonly account: DuelAccount }) {
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
              <Key state={state} hotkey={hotkey} />
            </td>
            {account.epochs.map((epoch) => (
              <td key={epoch.epoch}>{laneIn(epoch, hotkey)}</td>
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
function laneIn({ lanes, frozen }: EpochAccount, hotkey: string): string {
  const lane = lanes.find(({ validator }) => validator === hotkey)
  if (lane === undefined) return 'was not due'
  if (frozen) return 'frozen: too few attested'
  const text = laneText(lane)
  return lane.fault === undefined ? text : `${text}: ${lane.fault}`
}
