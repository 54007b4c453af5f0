import type { NetworkFile } from '../network-file.ts'
import { type Answers, createAnswers } from './answers.ts'
import { type Findings, SubnetReader } from './reader.ts'

/** Messages of the page: a network to read, once, or a question, with a port for the answer. */
export type Request =
  | { readonly file: NetworkFile }
  | { readonly question: readonly [keyof Answers, ...(readonly unknown[])] }

/** An answer, or the reason that there is none. Empty while pending. */
export interface AnswerState<Value> {
  readonly value?: Value
  readonly error?: string
}

const send = (found: Findings): void => postMessage(found)

let opened: Promise<SubnetReader> | undefined

const answers = createAnswers(() => opened ?? Promise.reject(new Error('no network is open')))

/** Recomputes the network, then follows it. */
async function read(file: NetworkFile): Promise<void> {
  const started = performance.now()
  let ms: number | undefined
  try {
    opened = SubnetReader.open(file)
    const reader = await opened
    for await (const found of reader.follow(file.last)) {
      if (found.head) ms ??= performance.now() - started
      send({ ...found, ms, health: reader.buckets.health() })
    }
  } catch (error) {
    send({ failure: (error as Error).message })
  }
}

async function answerTo([name, ...args]: readonly [keyof Answers, ...(readonly unknown[])]) {
  const answer = answers[name] as (...args: readonly unknown[]) => Promise<unknown>
  return answer(...args).then(
    (value): AnswerState<unknown> => ({ value }),
    ({ message }: Error) => ({ error: message }),
  )
}

addEventListener('message', async ({ data, ports: [port] }: MessageEvent<Request>) => {
  if ('file' in data) return read(data.file)
  port?.postMessage(await answerTo(data.question))
})
