/// <reference types="vite/client" />
import type { NetworkFile } from './network-file.ts'
import type { Answers } from './worker/answers.ts'
import type { ReadingProgress } from './worker/reader.ts'
import type { FoundNews, News, Request, WorkerAnswer } from './worker/worker.ts'
import workerUrl from './worker/worker.ts?worker&url'

/** What there is to show. */
export interface FeedUpdate {
  readonly soFar: ReadingProgress
  /** What was not shown yet. */
  readonly findings: readonly FoundNews[]
}

/** Collects what is heard, from before anybody listens. */
export interface Feed {
  readonly hear: (news: News) => void
  /** From now on `show` is told, at most once a frame. */
  readonly listen: (show: (heard: FeedUpdate) => void) => void
}

/** How far a reader is that has not begun. */
export const NOTHING_READ: ReadingProgress = { epochs: 0, files: 0, challenges: 0 }

/** A view is drawn anew when there is a sixteenth more to see, so that all drawing is linear. */
const SHARE = 16

/**
 * Collects what is heard, and shows it once a frame. Epochs alone wait until they are a share of
 * those that are shown; how far the reader is is shown meanwhile.
 */
export function startFeed(
  nextFrame: (run: () => void) => unknown = (run) => requestAnimationFrame(run),
): Feed {
  let show: ((heard: FeedUpdate) => void) | undefined
  const waiting: FoundNews[] = []
  let soFar = NOTHING_READ
  let shown = 0
  let [isUrgent, isPlanned] = [false, false]
  const flush = (): void => {
    isPlanned = false
    const isDue = isUrgent || waiting.length * SHARE >= shown
    const findings = isDue ? waiting.splice(0) : []
    shown += findings.length
    isUrgent = false
    show?.({ soFar, findings })
  }
  const plan = (): void => {
    if (show === undefined || isPlanned) return
    isPlanned = true
    nextFrame(flush)
  }
  const hear = (news: News): void => {
    if ('soFar' in news) soFar = news.soFar
    else {
      waiting.push(news)
      isUrgent ||= news.account === undefined
    }
    plan()
  }
  const listen = (to: (heard: FeedUpdate) => void): void => {
    show = to
    plan()
  }
  return { hear, listen }
}

/** Asks the worker; rejects with what it says when there is no answer. */
export type Ask = <Name extends keyof Answers>(
  name: Name,
  ...args: Parameters<Answers[Name]>
) => ReturnType<Answers[Name]>

/** Starts the worker on a network, and hears what it finds. */
export function startReader(file: NetworkFile | undefined, hear: (news: News) => void): Ask {
  const worker = startWorker(new URL(workerUrl, import.meta.url).href)
  const send = (request: Request, ports: Transferable[] = []): void =>
    worker.postMessage(request, ports)
  worker.addEventListener('message', ({ data }: MessageEvent<News>) => hear(data))
  worker.addEventListener('error', ({ message }) => {
    hear({ found: { failure: `this browser cannot run it: ${message}` } })
  })
  if (file) send({ open: file, isLocal: isLocal(location.hostname) })
  return (name, ...args) =>
    new Promise((resolve, reject) => {
      const { port1, port2 } = new MessageChannel()
      port1.onmessage = ({ data }: MessageEvent<WorkerAnswer>) => {
        port1.close()
        if ('value' in data) resolve(data.value as never)
        else reject(new Error(data.refusal))
      }
      send({ name, args }, [port2])
    }) as ReturnType<Answers[typeof name]>
}

/**
 * Starts a worker that has the page's policy. The policy of a worker is that of the response with
 * its script, which a static host sends without one; only a script of a `blob:` URL, here one that
 * imports the module at `url`, inherits the page's.
 */
function startWorker(url: string): Worker {
  const script = new Blob([`import ${JSON.stringify(url)}`], { type: 'text/javascript' })
  return new Worker(URL.createObjectURL(script), { type: 'module' })
}

/** Is the page on its reader's own machine? */
const isLocal = (host: string): boolean => ['127.0.0.1', 'localhost', '[::1]'].includes(host)
