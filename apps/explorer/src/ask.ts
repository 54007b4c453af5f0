import type { NetworkFile } from './network-file.ts'
import type { Answers } from './worker/answers.ts'
import type { News, Request } from './worker/worker.ts'

/** Asks the worker; rejects with what it says when there is no answer. */
export type Ask = <Name extends keyof Answers>(
  name: Name,
  ...asked: Parameters<Answers[Name]>
) => ReturnType<Answers[Name]>

interface Waiting {
  readonly resolve: (answer: never) => void
  readonly reject: (error: Error) => void
}

/** Starts the worker on a network, and hears what it finds. */
export function startReader(file: NetworkFile | undefined, hear: (news: News) => void): Ask {
  const worker = new Worker(new URL('./worker/worker.ts', import.meta.url), { type: 'module' })
  const send = (request: Request): void => worker.postMessage(request)
  const waiting = new Map<number, Waiting>()
  let asked = 0
  worker.addEventListener('message', ({ data }: MessageEvent<News>) => {
    if (data.type !== 'answer' && data.type !== 'refusal') return hear(data)
    const { resolve, reject } = waiting.get(data.id) ?? {}
    waiting.delete(data.id)
    if (data.type === 'answer') resolve?.(data.answer as never)
    else reject?.(new Error(data.message))
  })
  worker.addEventListener('error', ({ message }) =>
    hear({ type: 'failed', message: `this browser cannot run it: ${message}`, health: [] }),
  )
  if (file) send({ open: file, isLocal: isLocal(location.hostname) })
  return (name, ...words) =>
    new Promise((resolve, reject) => {
      asked += 1
      waiting.set(asked, { resolve, reject })
      send({ id: asked, name, asked: words })
    }) as ReturnType<Answers[typeof name]>
}

/** Is the page on its reader's own machine? */
const isLocal = (host: string): boolean => ['127.0.0.1', 'localhost', '[::1]'].includes(host)
