import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { blockPath, checkBlock, LIMITS, verifyLane } from '@affine/blocks'
import { make } from '@affine/envs'
import { afterAll, expect, it } from 'vitest'
import { laneOf, plansOf, SECRET, scopeOf, toy } from '../../blocks/test/lane.ts'
import { playPlan } from '../../blocks/test/play-plan.ts'
import { BucketReader, type CheckBlock } from '../src/bucket-reader.ts'
import type { Source } from '../src/copies.ts'

const ENV = 'tictactoe@0.1.0'
const BLOCKS = 8
const { blockSamples } = LIMITS
Object.assign(LIMITS, { blockSamples: 560 })
afterAll(() => Object.assign(LIMITS, { blockSamples }))

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

/** Returns the bytes held after a collection: on the heap, and in buffers. */
function held(): number {
  collect()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

it('verifies a long lane, and holds less than a third of its bytes', async () => {
  // Each challenge has two samples. Replies are long, so that a block has about a megabyte.
  const scope = scopeOf(toy.hotkey, { [ENV]: (BLOCKS * LIMITS.blockSamples) / 2 })
  const { spec } = make(ENV)
  const played = await playPlan(scope, SECRET, () => (messages) => {
    const answer = spec.solve(messages.at(-1)?.content ?? '')
    return { content: `${'I weigh A1. '.repeat(51)}\n${answer}` }
  })
  const lane = laneOf(toy, scope, plansOf(played))
  const files = new Map([...lane.bytes].map(([hash, bytes]) => [blockPath(hash), bytes]))
  const marks: number[] = []
  let bytesRead = 0
  const source: Source = {
    name: 'bucket',
    read: async (path) => {
      marks.push(held())
      // A copy, because the file itself is always held.
      const bytes = files.get(path)?.slice() ?? null
      bytesRead += bytes?.length ?? 0
      return bytes
    },
  }
  const check: CheckBlock = (bytes, wanted) => checkBlock(bytes, { ...wanted, verify: toy.verify })
  const reader = new BucketReader({ openBucket: () => null, check })
  const read = reader.blocks({ sources: [source] })
  expect(await verifyLane({ ...lane, read })).toMatchObject({ ok: true })
  expect(marks.length).toBe(BLOCKS)

  const [early, late] = [marks[4] ?? 0, marks.at(-1) ?? 0]
  expect(bytesRead).toBeGreaterThan(8_000_000)
  expect(late - early).toBeLessThan(bytesRead / 3)
})
