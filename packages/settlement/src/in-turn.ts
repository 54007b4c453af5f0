import type { Clock } from '@affine/blocks'
import { SYSTEM_CLOCK } from './waiting.ts'

/** Time that an item has to answer before the next one is queried too. */
const LATE_MS = 2000
/** Maximum late answers that this process waits for: each may have 8 MiB. */
const MAX_LATE = 32
let late = 0

interface TurnOptions<Item, Value> {
  /** Resolves with the item's value, or null if it has none. */
  readonly ask: (item: Item) => Promise<Value | null>
  /** Called with each late item, before the next one is queried. */
  readonly onLate?: (item: Item) => void
  readonly clock?: Clock | undefined
}

/**
 * Resolves with the first value that an item has, or null. Items are queried in order: each as soon
 * as the one before has no value, or has not answered for two seconds. While this process waits for
 * 32 late answers, a late item delays the next one. Rejects with the first error. Protocol §6.4.
 */
export function askInTurn<Item, Value>(
  items: readonly Item[],
  { ask, onLate, clock = SYSTEM_CLOCK }: TurnOptions<Item, Value>,
): Promise<Value | null> {
  const waiting = [...items]
  let unanswered = waiting.length
  if (unanswered === 0) return Promise.resolve(null)
  return new Promise((resolve, reject) => {
    const end = (settle: () => void): void => {
      waiting.length = 0
      settle()
    }
    const askNext = (): void => {
      const item = waiting.shift()
      if (item === undefined) return
      let isBeside = false
      const cancel = clock.after(LATE_MS, () => {
        onLate?.(item)
        if (late === MAX_LATE) return
        isBeside = true
        late += 1
        askNext()
      })
      const stop = (): void => {
        cancel()
        if (isBeside) late -= 1
      }
      const hear = (value: Value | null): void => {
        unanswered -= 1
        if (value !== null || unanswered === 0) end(() => resolve(value))
        else if (!isBeside) askNext()
      }
      ask(item)
        .finally(stop)
        .then(hear, (error) => end(() => reject(error)))
    }
    askNext()
  })
}
