import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { blockPath, checkBlock, LIMITS, verifyLane } from '@affine/blocks'
import { expect, it } from 'vitest'
import { CONTENDER, laneOf, plansOf, SECRET, scopeOf, toy } from '../../blocks/test/lane.ts'
import { playPlan } from '../../blocks/test/play-plan.ts'
import { BucketReader, type CheckBlock } from '../src/bucket-reader.ts'
import type { Source } from '../src/copies.ts'

const ENV = 'mult8@0.1.0'
const BLOCKS = 8

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

/** Returns the bytes held after a collection: on the heap, and in buffers. */
function held(): number {
  collect()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

it('verifies a long lane, and holds less than a third of its bytes', async () => {
  // Each challenge has two samples. Replies are long, so that a block has more than a megabyte.
  const scope = scopeOf(toy.hotkey, { [ENV]: (BLOCKS * LIMITS.blockSamples) / 2 })
  const reply = { content: `${'I multiply. '.repeat(51)}\n123456789012345` }
  const lane = laneOf(toy, scope, plansOf(await playPlan(scope, SECRET, () => () => reply)))
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
  const tallies = { [CONTENDER]: { [ENV]: [0, 0, 0, 0] } }
  expect(await verifyLane({ ...lane, read })).toMatchObject({ ok: true, value: { tallies } })
  expect(marks.length).toBe(BLOCKS)

  const [early, late] = [marks[4] ?? 0, marks.at(-1) ?? 0]
  expect(bytesRead).toBeGreaterThan(8_000_000)
  expect(late - early).toBeLessThan(bytesRead / 3)
})
