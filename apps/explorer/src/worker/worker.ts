import type { NetworkFile } from '../network-file.ts'
import { type Answers, createAnswers } from './answers.ts'
import { type Findings, openSubnet, SubnetReader } from './reader.ts'

/** Messages of the page: a network to read, once, or a question, with a port for the answer. */
export type Request =
  | { readonly file: NetworkFile }
  | { readonly question: readonly [name: keyof Answers, subject: unknown] }

/** An answer, or the reason that there is none. Empty while pending. */
export interface AnswerState<Value> {
  readonly value?: Value
  readonly error?: string
}

let opened: Promise<SubnetReader> | undefined

const answers = createAnswers(() => opened ?? Promise.reject(new Error('no network is open')))

/** Recomputes the network, then follows it. */
async function read(file: NetworkFile): Promise<void> {
  const started = performance.now()
  let ms: number | undefined
  try {
    opened = openSubnet(file).then((subnet) => new SubnetReader(subnet, file.buckets))
    const reader = await opened
    for await (const found of reader.follow(file.last)) {
      if (found.head) ms ??= performance.now() - started
      postMessage({ ...found, ms, health: reader.buckets.health() } satisfies Findings)
    }
  } catch (error) {
    postMessage({ failure: (error as Error).message } satisfies Findings)
  }
}

addEventListener('message', async ({ data, ports: [port] }: MessageEvent<Request>) => {
  if ('file' in data) return read(data.file)
  const [name, subject] = data.question
  const answer = answers[name] as (subject: unknown) => Promise<unknown>
  const state = await answer(subject).then(
    (value): AnswerState<unknown> => ({ value }),
    ({ message }: Error) => ({ error: message }),
  )
  port?.postMessage(state)
})
