import type { News } from './worker/worker.ts'

/** What there is to show. */
export interface Heard {
  /** How many epochs were recomputed so far. */
  readonly read: number
  /** What was not shown yet. */
  readonly news: readonly News[]
}

/** A view is drawn anew when there is a sixteenth more to see, so that all drawing is linear. */
const SHARE = 16

/**
 * Collects what is heard, and shows it once a frame. Epochs alone wait until they are a share of
 * those that are shown; how many there are is shown meanwhile.
 */
export function startFeed(
  show: (heard: Heard) => void,
  nextFrame: (run: () => void) => unknown = requestAnimationFrame,
): (news: News) => void {
  let waiting: News[] = []
  let [read, shown] = [0, 0]
  let [isUrgent, isPlanned] = [false, false]
  const flush = (): void => {
    isPlanned = false
    const isDue = isUrgent || waiting.length * SHARE >= shown
    const news = isDue ? waiting : []
    if (isDue) {
      waiting = []
      shown = read
      isUrgent = false
    }
    show({ read, news })
  }
  return (news) => {
    waiting.push(news)
    if (news.type === 'epoch') read += 1
    else isUrgent = true
    if (!isPlanned) nextFrame(flush)
    isPlanned = true
  }
}
