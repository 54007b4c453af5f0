import { quorumTexts } from '@affine/report/sentences'
import type { JSX } from 'preact'
import { linkTo } from '../address.ts'
import { duelsIn, reignsIn } from '../app-state.ts'
import { ThroneChart } from '../charts/throne-chart.tsx'
import type { Page, StateProps } from '../page.ts'
import { shareOf, visibleLine } from '../visible.ts'
import { Key } from './key.tsx'
import { DuelsTable, QueueTable } from './throne-tables.tsx'

/** The champion, since when, and the ratio that a contender has to beat. */
export function ThroneView({ state }: Page): JSX.Element {
  const last = state.epochs.at(-1)
  if (last === undefined) return <h1>The throne</h1>
  return (
    <>
      <Holder state={state} />
      <figure>
        <figcaption>
          The ratio to beat. Each band is a reign; ▲ is a duel that the contender won, ✕ one that it
          lost, ○ one that goes on.
        </figcaption>
        <ThroneChart state={state} />
      </figure>
      <div class="columns">
        <Contention state={state} />
        <Root state={state} />
      </div>
      <DuelsTable state={state} />
      <QueueTable state={state} />
    </>
  )
}

function Holder({ state }: StateProps): JSX.Element {
  const last = state.epochs.at(-1)
  const reign = reignsIn(state).at(-1)
  const hotkey = last?.heir?.hotkey
  return (
    <section class="holder">
      <p class="eyebrow">On the throne</p>
      <h1>{hotkey === undefined ? 'Nobody' : <Key state={state} hotkey={hotkey} />}</h1>
      <p>
        since epoch {reign?.from} · ratio to beat <b>{shareOf(last?.nextRatio ?? 0)}</b>
        {last?.heir && <> · model {visibleLine(last.heir.model, 80)}</>}
      </p>
      <p class="mono champion">{hotkey}</p>
    </section>
  )
}

function Contention({ state }: StateProps): JSX.Element {
  const duel = duelsIn(state).find(({ end }) => end === undefined)?.duel
  return (
    <section>
      <h2>The contender</h2>
      {duel ? (
        <p>
          <Key state={state} hotkey={duel.contender.hotkey} />, in epoch {duel.epochIndex} of at
          most {duel.duelEpochs}: <a href={linkTo.duel(duel.id)}>the duel so far</a>.
        </p>
      ) : (
        <Nobody state={state} />
      )}
    </section>
  )
}

function Nobody({ state }: StateProps): JSX.Element {
  const next = state.queue?.find(({ place }) => place === 1)
  if (next === undefined)
    return <p>No miner contends or waits. The ratio to beat goes down until one does.</p>
  const [why, ...missing] = quorumTexts(state.epochs.at(-1)?.lacking)
  return (
    <>
      <p>
        There is no contender. The next is <Key state={state} hotkey={next.hotkey} />. {why}
      </p>
      {missing.length > 0 && (
        <ul>
          {missing.map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      )}
    </>
  )
}

function Root({ state }: StateProps): JSX.Element {
  const last = state.epochs.at(-1)
  const { beginning } = state
  return (
    <section>
      <h2>State root</h2>
      <p class="mono root">{last?.root}</p>
      <p>
        This is the digest of the state for epoch {(last?.epoch ?? 0) + 1}. This browser computed it
        from the chain and the buckets.{' '}
        {beginning?.isBelieved
          ? `It trusted the state of epoch ${beginning.from}, as more than half of the stake ` +
            'attested it, and computed the rest.'
          : 'It began with the network’s first state, and trusted no other state.'}
      </p>
    </section>
  )
}
