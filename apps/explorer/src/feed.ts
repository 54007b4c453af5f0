/// <reference types="vite/client" />
import type { NetworkFile } from './network-file.ts'
import type { Answers } from './worker/answers.ts'
import type { ReadingProgress } from './worker/reader.ts'
import type { FoundNews, News, Request, WorkerAnswer } from './worker/worker.ts'
import workerUrl from './worker/worker.ts?worker&url'

/** An update for the page. */
export interface FeedUpdate {
  readonly soFar: ReadingProgress
  /** Findings that were not shown before. */
  readonly findings: readonly FoundNews[]
}

/** Collects news, also before anyone listens. */
export interface Feed {
  readonly hear: (news: News) => void
  /** Calls `show` with updates, at most once per frame. */
  readonly listen: (show: (heard: FeedUpdate) => void) => void
}

/** Progress before the reading has begun. */
export const NOTHING_READ: ReadingProgress = { epochs: 0, files: 0, challenges: 0 }

/**
 * Epochs are shown once they are a sixteenth of those shown, so that all rendering takes linear
 * time.
 */
const SHARE = 16

/**
 * Collects news and shows it at most once per frame. Epochs wait until there are enough of them
 * (see `SHARE`); progress does not.
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

/** Queries the worker. Rejects with its message if there is no answer. */
export type Ask = <Name extends keyof Answers>(
  name: Name,
  ...args: Parameters<Answers[Name]>
) => ReturnType<Answers[Name]>

/** Starts the worker on a network, and passes its news to `hear`. */
export function startReader(file: NetworkFile | undefined, hear: (news: News) => void): Ask {
  const worker = startWorker(new URL(workerUrl, import.meta.url).href)
  const send = (request: Request, ports: Transferable[] = []): void =>
    worker.postMessage(request, ports)
  worker.addEventListener('message', ({ data }: MessageEvent<News>) => hear(data))
  worker.addEventListener('error', ({ message }) => {
    hear({ found: { failure: `this browser cannot run the worker: ${message}` } })
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
 * Starts a worker with the page's policy. A worker has the policy of the response with its script,
 * which a static host sends without one. Only the script of a `blob:` URL inherits the page's
 * policy; this one imports the module at `url`.
 */
function startWorker(url: string): Worker {
  const script = new Blob([`import ${JSON.stringify(url)}`], { type: 'text/javascript' })
  return new Worker(URL.createObjectURL(script), { type: 'module' })
}

/** Reports whether a host is the reader's machine. */
const isLocal = (host: string): boolean => ['127.0.0.1', 'localhost', '[::1]'].includes(host)
