import { expect, it } from 'vitest'
import { type Heard, startFeed } from '../src/feed.ts'
import type { EpochAccount } from '../src/worker/epoch-account.ts'
import type { News } from '../src/worker/worker.ts'

const EPOCH: News = { type: 'epoch', account: {} as EpochAccount, health: [] }
const ENDED: News = { type: 'ended', queue: [], health: [], ms: 1 }

/** A feed whose frames come when they are called for. */
function feed() {
  const heard: Heard[] = []
  const frames: (() => void)[] = []
  const hear = startFeed(
    (each) => heard.push(each),
    (run) => frames.push(run),
  )
  const frame = (): void => {
    for (const run of frames.splice(0)) run()
  }
  return { hear, frame, frames, heard }
}

it('shows once a frame what was heard since the one before', () => {
  const { hear, frame, frames, heard } = feed()
  for (let i = 0; i < 3; i++) hear(EPOCH)
  hear(ENDED)
  expect(frames.length).toBe(1)
  frame()
  expect(heard).toEqual([{ read: 3, news: [EPOCH, EPOCH, EPOCH, ENDED] }])
  expect(frames.length).toBe(0)
})

it('shows nothing twice, leaves nothing out, and says how far it is', () => {
  const { hear, frame, heard } = feed()
  for (let i = 0; i < 500; i++) {
    hear(EPOCH)
    frame()
    expect(heard.at(-1)?.read).toBe(i + 1)
  }
  hear(ENDED)
  frame()
  expect(heard.flatMap(({ news }) => news).length).toBe(501)
})

it.each([100, 1000, 10_000])('draws %i epochs with work that is linear in them', (epochs) => {
  const { hear, frame, heard } = feed()
  for (let i = 0; i < epochs; i++) {
    hear(EPOCH)
    frame()
  }
  const drawn = heard.filter(({ news }) => news.length > 0).map(({ read }) => read)
  // A view draws all epochs that it has.
  expect(drawn.reduce((sum, read) => sum + read, 0)).toBeLessThan(18 * epochs)
})
