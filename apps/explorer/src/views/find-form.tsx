import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { fragmentFor } from '../address.ts'

/** Goes to what is pasted: a challenge, which is drawn anew from its id, a miner, or a duel. */
export function FindForm(): JSX.Element {
  const [text, setText] = useState('')
  const [isLost, setLost] = useState(false)
  const find = (event: Event): void => {
    event.preventDefault()
    const fragment = fragmentFor(text)
    setLost(fragment === undefined)
    if (fragment === undefined) return
    setText('')
    location.hash = fragment
  }
  return (
    <search>
      <form class="find" onSubmit={find}>
        <label>
          <span class="find-name">Find</span>
          <input
            value={text}
            placeholder="challenge id, hotkey, duel"
            autocomplete="off"
            spellcheck={false}
            aria-invalid={isLost}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        </label>
        <button type="submit">Go</button>
        {isLost && <span role="alert">This is not a challenge id, hotkey or duel.</span>}
      </form>
    </search>
  )
}
