/// <reference types="vite/client" />
import type { NetworkFile } from './network-file.ts'
import type { Answers } from './worker/answers.ts'
import type { Findings } from './worker/reader.ts'
import type { Request, WorkerAnswer } from './worker/worker.ts'
import workerUrl from './worker/worker.ts?worker&url'

/** Passes findings on, and stores them until someone listens. */
export interface Feed {
  readonly hear: (found: Findings) => void
  readonly listen: (show: (found: Findings) => void) => void
}

export function startFeed(): Feed {
  const waiting: Findings[] = []
  let show = (found: Findings): unknown => waiting.push(found)
  const listen: Feed['listen'] = (to) => {
    show = to
    for (const found of waiting) to(found)
  }
  return { hear: (found) => show(found), listen }
}

/** Queries the worker. Rejects with its message if there is no answer. */
export type Ask = <Name extends keyof Answers>(
  name: Name,
  ...args: Parameters<Answers[Name]>
) => ReturnType<Answers[Name]>

/** Starts the worker on a network, and passes its findings to `hear`. */
export function startReader(file: NetworkFile | undefined, hear: (found: Findings) => void): Ask {
  const worker = startWorker(new URL(workerUrl, import.meta.url).href)
  const send = (request: Request, ports: Transferable[] = []): void =>
    worker.postMessage(request, ports)
  worker.addEventListener('message', ({ data }: MessageEvent<Findings>) => hear(data))
  worker.addEventListener('error', ({ message }) => {
    hear({ failure: `this browser cannot run the worker: ${message}` })
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
