import type { ReadSoFar } from './worker/reader.ts'
import type { News } from './worker/worker.ts'

/** What there is to show. */
export interface Heard {
  /** How many epochs were recomputed so far. */
  readonly read: number
  readonly soFar: ReadSoFar
  /** What was not shown yet. */
  readonly news: readonly News[]
}

/** Collects what is heard, from before anybody listens. */
export interface Feed {
  readonly hear: (news: News) => void
  /** From now on `show` is told, at most once a frame. */
  readonly listen: (show: (heard: Heard) => void) => void
}

/** A view is drawn anew when there is a sixteenth more to see, so that all drawing is linear. */
const SHARE = 16

/**
 * Collects what is heard, and shows it once a frame. Epochs alone wait until they are a share of
 * those that are shown; how far the reader is is shown meanwhile.
 */
export function startFeed(
  nextFrame: (run: () => void) => unknown = (run) => requestAnimationFrame(run),
): Feed {
  let show: ((heard: Heard) => void) | undefined
  let waiting: News[] = []
  let soFar: ReadSoFar = { files: 0, challenges: 0 }
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
    show?.({ read, soFar, news })
  }
  const plan = (): void => {
    if (show === undefined || isPlanned) return
    isPlanned = true
    nextFrame(flush)
  }
  const hear = (news: News): void => {
    if (news.type === 'progress') soFar = news
    else waiting.push(news)
    if (news.type === 'epoch') read += 1
    else if (news.type !== 'progress') isUrgent = true
    plan()
  }
  const listen = (to: (heard: Heard) => void): void => {
    show = to
    plan()
  }
  return { hear, listen }
}
