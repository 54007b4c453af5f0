import type { JSX } from 'preact'
import { linkTo } from '../address.ts'
import { type Book, duelsIn } from '../book.ts'
import { nameIn } from '../page.ts'
import { shareOf } from '../visible.ts'
import { endingWords } from '../words.ts'
import { Key } from './key.tsx'
import { Wide } from './wide.tsx'

interface Told {
  readonly book: Book
}

/** Every duel read, the last first. */
export function DuelsTable({ book }: Told): JSX.Element {
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

/** Every registered miner: those who wait, and why others do not. */
export function QueueTable({ book }: Told): JSX.Element {
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
