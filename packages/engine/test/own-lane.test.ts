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
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { honestSamples } from '../../../packages/blocks/test/lane.ts'
import { testFolder } from '../../../test/test-folder.ts'
import { margin, writeLane } from '../src/own-lane.ts'
import { headerOf, scopeOf } from './lanes.ts'

/** The scope of a lane of three blocks. */
const scope = scopeOf({ 'mult8@0.1.0': 1400, 'tictactoe@0.1.0': 700 })
const header = headerOf(scope)
let samples: readonly Sample[]
const root = testFolder('lanes')
let folder: string
let store: Bucket
let count = 0

beforeAll(async () => {
  samples = await honestSamples(scope)
})
beforeEach(() => {
  folder = join(root, String(count++))
  store = directoryBucket(folder)
})

const write = (all: readonly Sample[]) => writeLane({ ...header, samples: all }, store)

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
      expect(await store.read(blockPath(gone), LIMITS.blockBytes)).not.toBeNull()
    }
  })

  it('is one block with the secret if it has no samples', async () => {
    const hashes = await write([])
    const bytes = await store.read(blockPath(hashes[0] ?? ''), LIMITS.blockBytes)
    const block = readBlock(bytes ?? new Uint8Array(), { verify })
    expect(hashes.length).toBe(1)
    expect(block).toMatchObject({
      ok: true,
      value: { header: { height: 0, count: 0, secret: header.secret } },
    })
  })
})

describe('the blocks of a lane', () => {
  async function blocks(hashes: readonly string[]) {
    return Promise.all(
      hashes.map(async (hash) => {
        const bytes =
          (await store.read(blockPath(hash), Number.POSITIVE_INFINITY)) ?? new Uint8Array()
        const block = readBlock(bytes, { hash, verify })
        if (!block.ok) throw new Error(block.code)
        return { bytes, ...block.value }
      }),
    )
  }

  it('contain 2048 samples each, except the last', async () => {
    for (const size of [1, 62, 63, 64, 2047, 2048, 2049, 2600]) {
      const written = await blocks(await write(samples.slice(0, size)))
      const counts = written.map(({ samples }) => samples.length)
      for (const count of counts.slice(0, -1)) expect(count).toBe(LIMITS.blockSamples)
      expect(counts.at(-1)).toBeGreaterThan(0)
      expect(counts.at(-1)).toBeLessThanOrEqual(LIMITS.blockSamples)
      expect(counts.reduce((sum, count) => sum + count)).toBe(size)
    }
  })

  it('contain at most 8 MiB, and are full except the last', async () => {
    // Large samples, which this test does not replay.
    const prompt = { role: 'user' as const, content: 'x'.repeat(50_000) }
    const large = samples.slice(0, 256).map((sample) => ({ ...sample, messages: [prompt] }))
    const written = await blocks(await write(large))
    for (const { bytes } of written) expect(bytes.length).toBeLessThanOrEqual(LIMITS.blockBytes)
    expect(written.length).toBeGreaterThan(1)
    for (const [i, { bytes }] of written.slice(0, -1).entries()) {
      const next =
        Buffer.from(written[i + 1]?.bytes ?? [])
          .toString()
          .split('\n')[2] ?? ''
      expect(bytes.length + Buffer.byteLength(next)).toBeGreaterThan(LIMITS.roomBytes)
    }
  })
})
