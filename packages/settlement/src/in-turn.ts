import type { Clock } from './clock.ts'

/** An answer that takes longer is not waited for before the next one is asked. */
const LATE_MS = 2000

interface TurnOptions<Item, Value> {
  /** Null when the item has nothing. */
  readonly ask: (item: Item) => Promise<Value | null>
  /** Is told of each that has not answered in time, before the next one is asked. */
  readonly onLate?: (item: Item) => void
  readonly clock: Clock
}

/**
 * What the first item has that has anything: they are asked one after the other, each as soon as
 * the one before had nothing, or has not answered for two seconds. Null when none has anything.
 * Protocol §6.4.
 */
export function inTurn<Item, Value>(
  items: readonly Item[],
  { ask, onLate, clock }: TurnOptions<Item, Value>,
): Promise<Value | null> {
  const waiting = [...items]
  let unanswered = waiting.length
  if (unanswered === 0) return Promise.resolve(null)
  return new Promise((resolve, reject) => {
    let isOver = false
    const end = (settle: () => void): void => {
      isOver = true
      settle()
    }
    const askNext = (): void => {
      const item = waiting.shift()
      if (item === undefined || isOver) return
      let isLate = false
      const cancel = clock.after(LATE_MS, () => {
        isLate = true
        onLate?.(item)
        askNext()
      })
      const hear = (value: Value | null): void => {
        cancel()
        unanswered -= 1
        if (value !== null || unanswered === 0) end(() => resolve(value))
        else if (!isLate) askNext()
      }
      ask(item).then(hear, (error) => {
        cancel()
        end(() => reject(error))
      })
    }
    askNext()
  })
}
