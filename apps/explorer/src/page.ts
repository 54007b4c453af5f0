import { useEffect, useState } from 'preact/hooks'
import type { AppState } from './app-state.ts'
import type { Ask } from './ask.ts'
import { shortOf, visibleLine } from './visible.ts'

/** What is given to what shows the state alone. */
export interface StateProps {
  readonly state: AppState
}

/** What every view is given. */
export interface Page extends StateProps {
  readonly ask: Ask
}

/** How a hotkey is called here: by the name that the network's file gives it, or shortened. */
export function nameIn({ file }: AppState): (hotkey: string) => string {
  const names = new Map(Object.entries(file?.names ?? {}))
  return (hotkey) => {
    const name = names.get(hotkey)
    return name === undefined ? shortOf(hotkey) : visibleLine(name, 40)
  }
}

/** An answer that may not be there yet. */
export interface Awaited<Value> {
  readonly value?: Value
  readonly error?: string
}

/** What `ask` comes to; asked anew when one of `by` changes, and an older answer is dropped. */
export function useAnswer<Value>(
  ask: () => Promise<Value>,
  by: readonly unknown[],
): Awaited<Value> {
  const [answer, setAnswer] = useState<Awaited<Value>>({})
  useEffect(() => {
    let isStale = false
    const set = (next: Awaited<Value>): void => {
      if (!isStale) setAnswer(next)
    }
    ask().then(
      (value) => set({ value }),
      (error: Error) => set({ error: error.message }),
    )
    return () => {
      isStale = true
    }
  }, by)
  return answer
}
