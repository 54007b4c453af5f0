import type { QueueEntry } from '@affine/report'
import type { NetworkFile } from '../network-file.ts'
import { type Answers, createAnswers } from './answers.ts'
import type { BucketHealth } from './buckets.ts'
import type { EpochAccount } from './epoch-accounts.ts'
import { type ReadingProgress, type ReadingSpan, SubnetReader } from './reader.ts'

/** Messages of the page: a network to read, once, or a question, with a port for the answer. */
export type Request =
  | { readonly open: NetworkFile; readonly isLocal: boolean }
  | { readonly name: keyof Answers; readonly args: readonly unknown[] }

/** The answer to a question. */
export type WorkerAnswer = { readonly value: unknown } | { readonly refusal: string }

/** News for the page: progress or findings. */
export type News = { readonly soFar: ReadingProgress } | FoundNews

/** The next epoch, or other findings. */
export interface FoundNews {
  readonly account?: EpochAccount
  readonly found: Findings
}

/** Findings of a reading, except its epochs. */
export interface Findings {
  /** States of buckets, in the order of first use. */
  readonly health?: readonly BucketHealth[]
  readonly beginning?: ReadingSpan
  /** The queue at the chain's head. */
  readonly queue?: readonly QueueEntry[]
  /** Reason that the reading stopped early. */
  readonly failure?: string
  /** Duration of the reading in milliseconds. Undefined before its end. */
  readonly ms?: number
}

/** Interval of progress news, in milliseconds. */
const PROGRESS_MS = 250

const send = (news: News): void => postMessage(news)

let opened: Promise<SubnetReader> | undefined

const answers = createAnswers(() => opened ?? Promise.reject(new Error('no network is open')))

/** Recomputes the network, and sends each epoch. */
async function read(file: NetworkFile, isLocal: boolean): Promise<void> {
  const started = performance.now()
  let reader: SubnetReader | undefined
  const sendFindings = (found: Findings): void =>
    send({ found: { ...found, health: reader?.health() ?? [] } })
  const told = setInterval(() => {
    if (reader) send({ soFar: reader.soFar() })
  }, PROGRESS_MS)
  try {
    opened = SubnetReader.open(file, isLocal)
    reader = await opened
    const epochs = reader.epochs(file.last, (beginning) => sendFindings({ beginning }))
    for (;;) {
      const { done, value } = await epochs.next()
      if (done) return sendFindings({ queue: value, ms: performance.now() - started })
      send({ account: value, found: { health: reader.health() } })
    }
  } catch (error) {
    sendFindings({ failure: (error as Error).message })
  } finally {
    clearInterval(told)
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
