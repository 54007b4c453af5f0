import type { JSX } from 'preact'
import { linkTo } from '../address.ts'
import { type Book, duelsIn, reignsIn } from '../book.ts'
import { ThroneChart } from '../charts/throne-chart.tsx'
import type { Page } from '../page.ts'
import { shareOf, visibleLine } from '../visible.ts'
import { Key } from './key.tsx'
import { DuelsTable, QueueTable } from './throne-tables.tsx'

/** Who holds the throne, since when, and what it takes to take it. */
export function ThroneView({ book }: Page): JSX.Element {
  const last = book.epochs.at(-1)
  if (last === undefined) return <h1>The throne</h1>
  return (
    <>
      <Holder book={book} />
      <figure>
        <figcaption>
          The ratio to beat. Bands are reigns; ▲ is a duel that the contender won, ✕ one that it
          lost, ○ one that goes on.
        </figcaption>
        <ThroneChart book={book} />
      </figure>
      <div class="columns">
        <Contention book={book} />
        <Root book={book} />
      </div>
      <DuelsTable book={book} />
      <QueueTable book={book} />
    </>
  )
}

interface Told {
  readonly book: Book
}

function Holder({ book }: Told): JSX.Element {
  const last = book.epochs.at(-1)
  const reign = reignsIn(book).at(-1)
  const hotkey = last?.heir?.hotkey
  return (
    <section class="holder">
      <p class="eyebrow">On the throne</p>
      <h1>{hotkey === undefined ? 'Nobody' : <Key book={book} hotkey={hotkey} />}</h1>
      <p>
        since epoch {reign?.from} · ratio to beat <b>{shareOf(last?.nextRatio ?? 0)}</b>
        {last?.heir && <> · model {visibleLine(last.heir.model, 80)}</>}
      </p>
      <p class="mono champion">{hotkey}</p>
    </section>
  )
}

function Contention({ book }: Told): JSX.Element {
  const duel = duelsIn(book).find(({ end }) => end === undefined)?.duel
  return (
    <section>
      <h2>Who contends</h2>
      {duel ? (
        <p>
          <Key book={book} hotkey={duel.contender.hotkey} />, in epoch {duel.turn} of at most{' '}
          {duel.most}: <a href={linkTo.duel(duel.id)}>the duel so far</a>.
        </p>
      ) : (
        <Nobody book={book} />
      )}
    </section>
  )
}

function Nobody({ book }: Told): JSX.Element {
  const next = book.queue?.find(({ place }) => place === 1)
  if (next === undefined)
    return <p>Nobody, and nobody waits: the ratio to beat goes down until somebody does.</p>
  return (
    <p>
      Nobody. Next is <Key book={book} hotkey={next.hotkey} />.
    </p>
  )
}

function Root({ book }: Told): JSX.Element {
  const last = book.epochs.at(-1)
  const { beginning } = book
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
