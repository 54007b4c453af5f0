import type { QueueEntry } from '@affine/report'
import type { NetworkFile } from '../network-file.ts'
import { type Answers, answersOf } from './answers.ts'
import type { BucketHealth } from './buckets.ts'
import type { EpochAccount } from './epoch-accounts.ts'
import { type ReadingSpan, type ReadSoFar, SubnetReader } from './reader.ts'

/** What the page sends: a network to read, once, or a question. */
export type Request =
  | { readonly open: NetworkFile; readonly isLocal: boolean }
  | { readonly id: number; readonly name: keyof Answers; readonly asked: readonly unknown[] }

/**
 * What it hears: what is found on the way, and answers. Of buckets those that were asked since it
 * last heard of them.
 */
export type News =
  | { readonly type: 'progress'; readonly soFar: ReadSoFar }
  | { readonly type: 'begun'; readonly beginning: ReadingSpan }
  | {
      readonly type: 'epoch'
      readonly account: EpochAccount
      readonly health: readonly BucketHealth[]
    }
  | {
      readonly type: 'ended'
      readonly queue: readonly QueueEntry[]
      readonly health: readonly BucketHealth[]
      readonly ms: number
    }
  | { readonly type: 'failed'; readonly message: string; readonly health: readonly BucketHealth[] }
  | { readonly type: 'answer'; readonly id: number; readonly answer: unknown }
  | { readonly type: 'refusal'; readonly id: number; readonly message: string }

/** How often it tells how far it is, in milliseconds. */
const PROGRESS_MS = 250

const tell = (news: News): void => postMessage(news)

let opened: Promise<SubnetReader> | undefined

const answers = answersOf(() => opened ?? Promise.reject(new Error('no network is open')))

/** Recomputes the network, and tells of each epoch. */
async function read(file: NetworkFile, isLocal: boolean): Promise<void> {
  const started = performance.now()
  let reader: SubnetReader | undefined
  const health = (): readonly BucketHealth[] => reader?.changedHealth() ?? []
  const told = setInterval(() => {
    if (reader) tell({ type: 'progress', soFar: reader.soFar() })
  }, PROGRESS_MS)
  try {
    opened = SubnetReader.open(file, isLocal)
    reader = await opened
    const begin = (beginning: ReadingSpan): void => tell({ type: 'begun', beginning })
    const epochs = reader.epochs(file.last, begin)
    for (;;) {
      const { done, value } = await epochs.next()
      const ms = performance.now() - started
      if (done) return tell({ type: 'ended', queue: value, health: health(), ms })
      tell({ type: 'epoch', account: value, health: health() })
    }
  } catch (error) {
    tell({ type: 'failed', message: (error as Error).message, health: health() })
  } finally {
    clearInterval(told)
  }
}

async function answer({ id, name, asked }: Extract<Request, { id: number }>): Promise<void> {
  try {
    const reply = answers[name] as (...asked: readonly unknown[]) => Promise<unknown>
    tell({ type: 'answer', id, answer: await reply(...asked) })
  } catch (error) {
    tell({ type: 'refusal', id, message: (error as Error).message })
  }
}

addEventListener('message', ({ data }: MessageEvent<Request>) => {
  if ('open' in data) read(data.open, data.isLocal)
  else answer(data)
})
