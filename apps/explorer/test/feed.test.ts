import { expect, it } from 'vitest'
import { type FeedUpdate, NOTHING_READ, startFeed } from '../src/feed.ts'
import type { EpochAccount } from '../src/worker/epoch-accounts.ts'
import type { News } from '../src/worker/worker.ts'

const EPOCH: News = { account: {} as EpochAccount, found: {} }
const ENDED: News = { found: { queue: [], ms: 1 } }

/** Creates a feed whose frames are called by the test. */
function feed() {
  const heard: FeedUpdate[] = []
  const frames: (() => void)[] = []
  const { hear, listen } = startFeed((run) => frames.push(run))
  const frame = (): void => {
    for (const run of frames.splice(0)) run()
  }
  const start = (): void => listen((each) => heard.push(each))
  return { hear, frame, frames, heard, start }
}

it('shows all news since the previous frame', () => {
  const { hear, frame, frames, heard, start } = feed()
  start()
  for (let i = 0; i < 3; i++) hear(EPOCH)
  hear(ENDED)
  expect(frames.length).toBe(1)
  frame()
  expect(heard).toEqual([{ soFar: NOTHING_READ, findings: [EPOCH, EPOCH, EPOCH, ENDED] }])
  expect(frames.length).toBe(0)
})

it.each([100, 1000, 10_000])('renders %i epochs in linear work', (epochs) => {
  const { hear, frame, heard, start } = feed()
  start()
  for (let i = 0; i < epochs; i++) {
    hear(EPOCH)
    frame()
  }
  const drawn = heard.filter(({ findings }) => findings.length > 0)
  // A view renders all its epochs.
  let [shown, sum] = [0, 0]
  for (const { findings } of drawn) {
    shown += findings.length
    sum += shown
  }
  expect(sum).toBeLessThan(18 * epochs)
  // Each update has a sixteenth more epochs.
  expect(drawn.length).toBeLessThan(16 + Math.log(epochs) / Math.log(17 / 16))
  expect(heard.length).toBe(epochs)
  // Each epoch is shown exactly once.
  hear(ENDED)
  frame()
  expect(heard.flatMap(({ findings }) => findings).length).toBe(epochs + 1)
})

it('stores news before anyone listens, without a frame', () => {
  const { hear, frame, frames, heard, start } = feed()
  hear(EPOCH)
  expect(frames).toEqual([])
  start()
  frame()
  expect(heard).toEqual([{ soFar: NOTHING_READ, findings: [EPOCH] }])
})

it('shows progress without rendering a view', () => {
  const { hear, frame, heard, start } = feed()
  start()
  for (let i = 0; i < 100; i++) hear(EPOCH)
  frame()
  hear(EPOCH)
  const soFar = { epochs: 101, files: 7, challenges: 64 }
  hear({ soFar })
  frame()
  expect(heard.at(-1)).toEqual({ soFar, findings: [] })
})
