import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type Bucket,
  blockPath,
  createBlockReader,
  LIMITS,
  readBlock,
  type Sample,
  verifyLane,
} from '@affine/blocks'
import { directoryBucket } from '@affine/blocks/directory'
import { verify } from '@affine/chain'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { honestSamples } from '../../../packages/blocks/test/lane.ts'
import { testPaths } from '../../../test/test-folder.ts'
import { margin, writeLane } from '../src/own-lane.ts'
import { headerOf, scopeOf } from './lanes.ts'

const { blockSamples } = LIMITS
Object.assign(LIMITS, { blockSamples: 100 })
afterAll(() => Object.assign(LIMITS, { blockSamples }))

/** The scope of a lane of three blocks. */
const scope = scopeOf({ 'mult8@0.1.0': 70, 'tictactoe@0.1.0': 35 })
const header = headerOf(scope)
const samples = await honestSamples(scope)
const freshFolder = testPaths('lanes')
let folder: string
let store: Bucket

beforeEach(() => {
  folder = freshFolder()
  store = directoryBucket(folder)
})

const write = (all: readonly Sample[]) => writeLane({ ...header, samples: all }, store)

/** Reads blocks of the store. */
const readAll = (hashes: readonly string[]) =>
  Promise.all(
    hashes.map(async (hash) => {
      const bytes = (await store.read(blockPath(hash), LIMITS.blockBytes)) ?? new Uint8Array()
      const block = readBlock(bytes, { hash, verify })
      if (!block.ok) throw new Error(block.code)
      return { bytes, ...block.value }
    }),
  )

it.each([
  [1, 2],
  [29, 2],
  [30, 3],
  [399, 39],
])(
  'in a phase of %i blocks, a validator stops waiting for others %i blocks before the end',
  (blocks, left) => {
    expect(margin(blocks)).toBe(left)
  },
)

describe('a lane', () => {
  it('verifies from its last block back to the validator’s last seal', async () => {
    const hashes = await write(samples)
    expect(hashes.length).toBe(3)
    const read = createBlockReader(store, verify)
    const head = hashes.at(-1) ?? ''
    const lane = await verifyLane({ head, previous: header.prev, scope, read })
    expect(lane).toMatchObject({ ok: true, value: { blocks: [...hashes].reverse() } })
  })

  it('is completed after a crash left it partly written', async () => {
    const hashes = await write(samples)
    for (const gone of hashes) {
      await rm(join(folder, blockPath(gone)))
      expect(await write(samples)).toEqual(hashes)
      await readAll([gone])
    }
  })

  it('is one block with the secret if it has no samples', async () => {
    const blocks = await readAll(await write([]))
    const { secret } = header
    expect(blocks).toMatchObject([{ header: { height: 0, count: 0, secret } }])
  })
})

describe('the blocks of a lane', () => {
  it('contain the maximum of samples each, here 100, except the last', async () => {
    for (const size of [1, 99, 100, 101, 130]) {
      const written = await readAll(await write(samples.slice(0, size)))
      const rest = size % 100 || 100
      const counts = size > 100 ? [100, rest] : [rest]
      expect(written.map(({ samples }) => samples.length)).toEqual(counts)
    }
  })

  it('contain at most 8 MiB, and are full except the last', async () => {
    // Large samples, which this test does not replay.
    const prompt = { role: 'user' as const, content: 'x'.repeat(125_000) }
    const large = samples.slice(0, 100).map((sample) => ({ ...sample, messages: [prompt] }))
    const written = await readAll(await write(large))
    expect(written.length).toBeGreaterThan(1)
    for (const [i, { bytes }] of written.slice(0, -1).entries()) {
      const [, , next = ''] = Buffer.from(written[i + 1]?.bytes ?? [])
        .toString()
        .split('\n')
      expect(bytes.length + Buffer.byteLength(next)).toBeGreaterThan(LIMITS.roomBytes)
    }
  })
})
