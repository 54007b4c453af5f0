import type { Clock } from '@affine/blocks'
import { SYSTEM_CLOCK } from './waiting.ts'

/** An answer that takes longer is not waited for before the next one is asked. */
const LATE_MS = 2000
/** So many late answers are waited for at a time, in this process: each may have 8 MiB. */
const MAX_LATE = 32
let late = 0

interface TurnOptions<Item, Value> {
  /** Null when the item has nothing. */
  readonly ask: (item: Item) => Promise<Value | null>
  /** Is told of each that has not answered in time, before the next one is asked. */
  readonly onLate?: (item: Item) => void
  readonly clock?: Clock | undefined
}

/**
 * What the first item has that has anything: they are asked one after the other, each as soon as
 * the one before had nothing, or has not answered for two seconds. Null when none has anything.
 * While 32 late answers are waited for in this process, none is asked beside another that is late.
 * Protocol §6.4.
 */
export function inTurn<Item, Value>(
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
