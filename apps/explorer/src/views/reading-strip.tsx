import type { JSX } from 'preact'
import type { Book } from '../book.ts'
import { visibleLine } from '../visible.ts'

/** How far the page has come with recomputing, and what it came to: on every view. */
export function ReadingStrip({ book }: { readonly book: Book }): JSX.Element {
  const { epochs, ms, file, failure } = book
  const flaws = epochs.reduce((sum, epoch) => sum + epoch.flaws.length, 0)
  if (file === undefined)
    return (
      <Strip kind="bad">No network is named: see network.json, or ?chain= and ?buckets=.</Strip>
    )
  if (failure !== undefined)
    return <Strip kind="bad">It cannot be read any further: {visibleLine(failure, 600)}</Strip>
  if (ms === undefined) return <Progress book={book} />
  const many = `${epochs.length} epochs recomputed in this browser in ${(ms / 1000).toFixed(1)} s`
  if (flaws > 0)
    return (
      <Strip kind="bad">
        {many}. Not everything holds: <a href="#/validators">{flaws} findings</a>.
      </Strip>
    )
  return <Strip kind="good">✔ {many}. Everything holds.</Strip>
}

function Progress({ book: { beginning, epochs } }: { readonly book: Book }): JSX.Element {
  if (beginning === undefined) return <Strip kind="busy">Reading the chain…</Strip>
  const all = Math.max(1, beginning.to - beginning.from)
  return (
    <Strip kind="busy">
      <label>
        Recomputing epoch {beginning.from + epochs.length} of {beginning.to}…{' '}
        <progress max={all} value={epochs.length} />
      </label>
    </Strip>
  )
}

interface StripProps {
  readonly kind: 'good' | 'bad' | 'busy'
  readonly children: JSX.Element | JSX.Element['props']['children']
}

const Strip = ({ kind, children }: StripProps): JSX.Element => (
  <div class={`strip strip-${kind}`} role="status">
    {children}
  </div>
)
