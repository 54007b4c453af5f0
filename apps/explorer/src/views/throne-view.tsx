import type { JSX } from 'preact'
import { linkTo } from '../address.ts'
import { type Book, duelsIn, reignsIn } from '../book.ts'
import { ThroneChart } from '../charts/throne-chart.tsx'
import { nameIn, type Page } from '../page.ts'
import { shareOf, visibleLine } from '../visible.ts'
import { endingWords } from '../words.ts'
import { Key } from './key.tsx'
import { Wide } from './wide.tsx'

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
      <Duels book={book} />
      <Queue book={book} />
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
  const running = duelsIn(book).find(({ end }) => end === undefined)
  const { duel } = running ?? {}
  const next = book.queue?.find(({ place }) => place === 1)
  return (
    <section>
      <h2>Who contends</h2>
      {duel ? (
        <p>
          <Key book={book} hotkey={duel.contender.hotkey} />, in epoch {duel.turn} of at most{' '}
          {duel.most}: <a href={linkTo.duel(duel.id)}>the duel so far</a>.
        </p>
      ) : (
        <p>
          Nobody.{' '}
          {next ? (
            <>
              Next is <Key book={book} hotkey={next.hotkey} />.
            </>
          ) : (
            'Nobody waits either: the ratio to beat goes down until somebody does.'
          )}
        </p>
      )}
    </section>
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
          : 'Nothing was believed.'}
      </p>
    </section>
  )
}

function Duels({ book }: Told): JSX.Element {
  const nameOf = nameIn(book)
  return (
    <section>
      <h2>Duels</h2>
      <Wide label="Duels" columns={['epochs', 'contender', 'champion', 'ratio', 'outcome']}>
        {[...duelsIn(book)].reverse().map(({ duel, epochs, end }) => (
          <tr key={duel.id}>
            <td>
              <a href={linkTo.duel(duel.id)}>
                {duel.start}–{epochs.at(-1)?.epoch}
              </a>
            </td>
            <td>
              <Key book={book} hotkey={duel.contender.hotkey} />
            </td>
            <td>
              <Key book={book} hotkey={duel.champion.hotkey} />
            </td>
            <td>{shareOf(duel.ratio)}</td>
            <td>{end ? endingWords(end, nameOf).join(' ') : 'goes on'}</td>
          </tr>
        ))}
      </Wide>
    </section>
  )
}

/** Of a large subnet the first that wait, and a few of the others. */
const MOST_ROWS = 64

function Queue({ book }: Told): JSX.Element {
  const { queue } = book
  return (
    <section>
      <h2>Who waits, and why not</h2>
      <Wide label="Who waits" columns={['uid', 'hotkey', 'committed at', 'it …']}>
        {queue?.slice(0, MOST_ROWS).map(({ uid, hotkey, block, why }) => (
          <tr key={uid}>
            <td>{uid}</td>
            <td>
              <Key book={book} hotkey={hotkey} />
            </td>
            <td>{block ?? '–'}</td>
            <td>{why}</td>
          </tr>
        ))}
      </Wide>
    </section>
  )
}
