/// <reference types="vite/client" />
import type { NetworkResult } from './network-file.ts'
import type { Answers } from './worker/answers.ts'
import type { Findings } from './worker/reader.ts'
import type { AnswerState, Request } from './worker/worker.ts'
import workerUrl from './worker/worker.ts?worker&url'

export type AnswerTo<Name extends keyof Answers> = Awaited<ReturnType<Answers[Name]>>

/** A method of `Answers`, and its argument. */
export type Question<Name extends keyof Answers> = readonly [Name, Parameters<Answers[Name]>[0]]

/** The worker that reads a network. */
export interface Feed {
  /** Passes the findings so far to `show`, then each new finding. */
  readonly listen: (show: (found: Findings) => void) => void
  /** Passes the answer to a question to `hear`. The returned function cancels this. */
  readonly ask: <Name extends keyof Answers>(
    question: Question<Name>,
    hear: (answer: AnswerState<AnswerTo<Name>>) => void,
  ) => () => void
}

/** Starts the worker on a network. If the network is refused, the only finding is the reason. */
export function startFeed(network: NetworkResult): Feed {
  const worker = startWorker(new URL(workerUrl, import.meta.url).href)
  const waiting: Findings[] = []
  let show = (found: Findings): unknown => waiting.push(found)
  worker.addEventListener('message', ({ data }: MessageEvent<Findings>) => show(data))
  worker.addEventListener('error', ({ message }) => {
    show({ failure: `this browser cannot run the worker: ${message}` })
  })
  if (network.ok) worker.postMessage({ file: network.value } satisfies Request)
  else show({ failure: network.detail })
  return {
    listen: (to) => {
      show = to
      for (const found of waiting) to(found)
    },
    ask: (question, hear) => {
      const { port1, port2 } = new MessageChannel()
      port1.onmessage = ({ data }) => hear(data)
      worker.postMessage({ question } satisfies Request, [port2])
      return () => port1.close()
    },
  }
}

/**
 * Starts a worker with the page's policy. A static host sends scripts without a policy, so a worker
 * would have none. A script of a `blob:` URL inherits the page's policy; it imports the module at
 * `url`.
 */
function startWorker(url: string): Worker {
  const script = new Blob([`import ${JSON.stringify(url)}`], { type: 'text/javascript' })
  return new Worker(URL.createObjectURL(script), { type: 'module' })
}
