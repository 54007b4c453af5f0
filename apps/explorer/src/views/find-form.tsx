import type { JSX } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { findablesIn, fragmentFor, lostText, suggestionsFor } from '../find.ts'
import type { StateProps } from '../page.ts'

/** Goes to what is named or pasted: a miner, a validator, a duel, or a challenge. */
export function FindForm({ state }: StateProps): JSX.Element {
  const [text, setText] = useState('')
  const [isLost, setLost] = useState(false)
  // It is not known before somebody types.
  const isAsked = text !== ''
  const known = useMemo(() => (isAsked ? findablesIn(state) : []), [state, isAsked])
  const go = (fragment: string | undefined): void => {
    setLost(fragment === undefined)
    if (fragment !== undefined) location.hash = fragment
  }
  const type = (typed: string): void => {
    const chosen = known.find(({ id }) => id === typed)
    setLost(false)
    if (chosen) go(chosen.link)
    else setText(typed)
  }
  return (
    <search>
      <form
        class="find"
        onSubmit={(event) => {
          event.preventDefault()
          go(fragmentFor(text, known))
        }}
      >
        <label>
          <span class="find-name">Find</span>
          <input
            value={text}
            list="found"
            placeholder="name, uid, hotkey, id"
            autocomplete="off"
            spellcheck={false}
            aria-invalid={isLost}
            onInput={({ currentTarget }) => type(currentTarget.value)}
          />
        </label>
        <datalist id="found">
          {suggestionsFor(text, known).map(({ id, name, what }) => (
            <option key={id} value={id} label={`${name}, ${what}`} />
          ))}
        </datalist>
        <button type="submit">Go</button>
        {isLost && <span role="alert">{lostText(text, known)}</span>}
      </form>
    </search>
  )
}
