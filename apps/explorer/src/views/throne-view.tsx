import type { JSX } from 'preact'
import { linkTo } from '../address.ts'
import { duelsIn, reignsIn } from '../app-state.ts'
import { ThroneChart } from '../charts/throne-chart.tsx'
import type { Page, StateProps } from '../page.ts'
import { shareOf, visibleLine } from '../visible.ts'
import { Key } from './key.tsx'
import { DuelsTable, QueueTable } from './throne-tables.tsx'

/** Who holds the throne, since when, and what it takes to take it. */
export function ThroneView({ state }: Page): JSX.Element {
  const last = state.epochs.at(-1)
  if (last === undefined) return <h1>The throne</h1>
  return (
    <>
      <Holder state={state} />
      <figure>
        <figcaption>
          The ratio to beat. Bands are reigns; ▲ is a duel that the contender won, ✕ one that it
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
      <h2>Who contends</h2>
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
    return <p>Nobody, and nobody waits: the ratio to beat goes down until somebody does.</p>
  return (
    <p>
      Nobody. Next is <Key state={state} hotkey={next.hotkey} />.
    </p>
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
        It governs epoch {(last?.epoch ?? 0) + 1}, and was computed here from the chain and the
        buckets.{' '}
        {beginning?.isBelieved
          ? `The state of epoch ${beginning.from} was believed, as more than half of the stake ` +
            'attested it; the rest follows.'
          : 'It begins with the network’s first state, and took no state from anybody.'}
      </p>
    </section>
  )
}
