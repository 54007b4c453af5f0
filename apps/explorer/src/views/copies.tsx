import type { JSX } from 'preact'
import { useRef, useState } from 'preact/hooks'
import type { Page } from '../page.ts'
import { countText, visibleLine } from '../visible.ts'
import type { EpochAccount } from '../worker/epoch-account.ts'

interface CopiesProps extends Page {
  readonly epochs: readonly EpochAccount[]
}

/** What is known of the other copies of blocks, and a button that compares them. */
export function Copies({ ask, hear, epochs }: CopiesProps): JSX.Element | null {
  const [at, setAt] = useState<number>()
  const [error, setError] = useState<string>()
  const isStopped = useRef(false)
  const played = epochs.filter(({ duel }) => duel !== undefined)
  const left = played.filter(({ copies }) => copies === undefined).reverse()
  const compare = async (): Promise<void> => {
    isStopped.current = false
    setError(undefined)
    try {
      for (const { epoch } of left) {
        if (isStopped.current) break
        setAt(epoch)
        hear({ type: 'compared', compared: await ask('compare', epoch) })
      }
    } catch (failure) {
      setError((failure as Error).message)
    }
    setAt(undefined)
  }
  if (played.length === 0) return null
  const stop = (): void => {
    isStopped.current = true
  }
  return (
    <section class="copies">
      <h2>Copies</h2>
      <p>
        Each block was read from one bucket. Its validator, and every validator that attested its
        lane, promised to serve it too.
      </p>
      <p role="status">{wordsOf(played)}</p>
      {error !== undefined && <p class="bad">The comparison failed: {visibleLine(error, 600)}</p>}
      {at !== undefined && (
        <p>
          Comparing the copies of epoch {at}…{' '}
          <button type="button" onClick={stop}>
            Stop after this epoch
          </button>
        </p>
      )}
      {at === undefined && left.length > 0 && (
        <button type="button" onClick={compare}>
          Compare the copies of {countText(left.length, 'epoch')}
        </button>
      )}
    </section>
  )
}

/** What came of it. */
function wordsOf(played: readonly EpochAccount[]): JSX.Element {
  const compared = played.filter(({ copies }) => copies !== undefined)
  if (compared.length === 0) return <>The others were not compared.</>
  const copies = compared.reduce((sum, epoch) => sum + (epoch.copies ?? 0), 0)
  const flaws = compared.reduce((sum, epoch) => sum + epoch.flaws.length, 0)
  const share = `${compared.length} of ${played.length} epochs`
  const many = `${copies} more copies were compared, in ${share}`
  if (flaws > 0)
    return (
      <>
        {many}. In these epochs not everything holds:{' '}
        <a href="#/validators">{countText(flaws, 'finding')}</a>.
      </>
    )
  return <>{copies === 0 ? 'There is no other copy.' : `✔ ${many}: all are the same.`}</>
}
