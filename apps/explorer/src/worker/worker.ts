import type { QueueEntry, ValidatorStatus } from '@affine/report'
import type { NetworkFile } from '../network-file.ts'
import { type Answers, createAnswers } from './answers.ts'
import type { BucketHealth } from './buckets.ts'
import type { EpochAccount } from './epoch-accounts.ts'
import { type ChainHead, type ReadingProgress, type ReadingSpan, SubnetReader } from './reader.ts'

/** Messages of the page: a network to read, once, or a question, with a port for the answer. */
export type Request =
  | { readonly open: NetworkFile; readonly isLocal: boolean }
  | { readonly name: keyof Answers; readonly args: readonly unknown[] }

/** The answer to a question. */
export type WorkerAnswer = { readonly value: unknown } | { readonly refusal: string }

/** News for the page: progress or findings. */
export type News = { readonly soFar: ReadingProgress } | { readonly found: Findings }

/** Findings of a reading. */
export interface Findings {
  /** Epochs that were not sent before. */
  readonly epochs?: readonly EpochAccount[]
  /** States of buckets, in the order of first use. */
  readonly health?: readonly BucketHealth[]
  readonly beginning?: ReadingSpan
  /** The chain's newest block. */
  readonly head?: ChainHead
  /** The queue and the validators when the last epoch that was read had ended. */
  readonly queue?: readonly QueueEntry[]
  readonly validators?: readonly ValidatorStatus[]
  /** Reason that the reading stopped, before or after its end. */
  readonly failure?: string
  /** Duration of the reading in milliseconds. Undefined before its end. */
  readonly ms?: number | undefined
}

/** Interval of progress news, in milliseconds. */
const PROGRESS_MS = 250

const send = (news: News): void => postMessage(news)

let opened: Promise<SubnetReader> | undefined

const answers = createAnswers(() => opened ?? Promise.reject(new Error('no network is open')))

/** Recomputes the network and follows it. */
async function read(file: NetworkFile, isLocal: boolean): Promise<void> {
  const started = performance.now()
  let reader: SubnetReader | undefined
  let ms: number | undefined
  const told = setInterval(() => {
    if (reader) send({ soFar: reader.soFar() })
  }, PROGRESS_MS)
  try {
    opened = SubnetReader.open(file, isLocal)
    reader = await opened
    for await (const found of reader.follow(file.last)) {
      if (found.head) {
        clearInterval(told)
        ms ??= performance.now() - started
      }
      send({ found: { ...found, ms, health: reader.health() } })
    }
  } catch (error) {
    send({ found: { failure: (error as Error).message } })
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
