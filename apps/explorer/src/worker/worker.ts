import type { NetworkFile } from '../network-file.ts'
import { type Answers, createAnswers } from './answers.ts'
import { type Findings, SubnetReader } from './reader.ts'

/** Messages of the page: a network to read, once, or a question, with a port for the answer. */
export type Request =
  | { readonly open: NetworkFile; readonly isLocal: boolean }
  | { readonly name: keyof Answers; readonly args: readonly unknown[] }

/** The answer to a question. */
export type WorkerAnswer = { readonly value: unknown } | { readonly refusal: string }

const send = (found: Findings): void => postMessage(found)

let opened: Promise<SubnetReader> | undefined

const answers = createAnswers(() => opened ?? Promise.reject(new Error('no network is open')))

/** Recomputes the network and follows it. */
async function read(file: NetworkFile, isLocal: boolean): Promise<void> {
  const started = performance.now()
  let ms: number | undefined
  try {
    opened = SubnetReader.open(file, isLocal)
    const reader = await opened
    for await (const found of reader.follow(file.last)) {
      if (found.head) ms ??= performance.now() - started
      send({ ...found, ms, health: reader.health() })
    }
  } catch (error) {
    send({ failure: (error as Error).message })
  }
}

addEventListener('message', async ({ data, ports: [port] }: MessageEvent<Request>) => {
  if ('open' in data) return read(data.open, data.isLocal)
  const answer = answers[data.name] as (...asked: readonly unknown[]) => Promise<unknown>
  const reply: Promise<WorkerAnswer> = answer(...data.args).then(
    (value) => ({ value }),
    ({ message }: Error) => ({ refusal: message }),
  )
  port?.postMessage(await reply)
})
