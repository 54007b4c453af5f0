import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import {
  blockPath,
  hashCommitment,
  LIMITS,
  NO_BLOCK,
  type Sample,
  writeBlock,
} from '@affine/blocks'
import { directoryBucket } from '@affine/blocks/directory'
import { account, LocalChain } from '@affine/chain'
import { firstState, LOCAL, type State } from '@affine/duel'
import { challengeId, make, play, specHash } from '@affine/envs'
import type { Hash } from '@affine/prng'
import { expect, it, onTestFinished } from 'vitest'
import { BucketReader } from '../src/bucket-reader.ts'
import type { Source } from '../src/copies.ts'
import { checkLane } from '../src/epoch-decision.ts'

const ENV = 'mult8@0.1.0'
const BLOCKS = 8
const SECRET = '5e'.repeat(32)
const key = account(new Uint8Array(32).fill(1))
const miner = (name: string, seed: number) => {
  const { hotkey } = account(new Uint8Array(32).fill(seed))
  return { hotkey, model: name, revision: 'main', chute: name }
}

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

/** Returns the bytes held after a collection: on the heap, and in buffers. */
function held(): number {
  collect()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

it('verifies a long lane, and holds less than a third of its bytes', async () => {
  const chain = LocalChain.create({ netuid: 120, random: () => new Uint8Array(32), neurons: [] })
  // Each challenge has two samples.
  const total = (BLOCKS * LIMITS.blockSamples) / 2
  const place = { genesis: chain.genesis, netuid: 120, validator: key.hotkey, epoch: 0 }
  const [champion, contender] = [miner('a', 2), miner('b', 3)]
  const duel = { contender, start: 0, frozen: 0, tallies: [], verdicts: {} }
  const protocol = {
    ...LOCAL,
    envs: { [ENV]: { specHash: specHash(ENV), players: 1, quotaFirst: total, quotaMost: total } },
  }
  const state: State = {
    ...firstState(protocol, 0),
    champion,
    voters: { [key.hotkey]: 1_000_000 },
    due: { [key.hotkey]: hashCommitment({ ...place, secret: SECRET }) },
    duels: [duel],
  }
  const beacon = await chain.blockHash(0)

  // Replies are long, so that a block has more than a megabyte.
  const episodeOf = async (hotkey: string, id: string) => {
    const agent = () => ({ content: `${'I multiply. '.repeat(51)}\n123456789012345` })
    return { miner: hotkey, ...(await play(make(ENV), id, agent)), ms: 0 }
  }
  const samplesAt = async (index: number): Promise<Sample[]> => {
    const parts = { ...place, env: ENV, specHash: specHash(ENV), beacon, secret: SECRET, index }
    const id = challengeId(parts)
    const episodes = [champion, contender].map(({ hotkey }) => episodeOf(hotkey, id))
    const asked = { env: ENV, index, challengeId: id }
    return (await Promise.all(episodes)).map((episode) => ({ ...asked, ...episode }))
  }
  const blockAt = async (height: number, prev: Hash) => {
    const samples: Sample[] = []
    for (let index = (total / BLOCKS) * height; samples.length < LIMITS.blockSamples; index++)
      samples.push(...(await samplesAt(index)))
    const last = height === BLOCKS - 1 ? { secret: SECRET } : {}
    return writeBlock({ ...place, height, prev, time: 0, ...last, samples, sign: key.sign })
  }

  // Blocks are on disk, so that no reference to them remains.
  const folder = await mkdtemp(join(tmpdir(), 'lane-memory-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const bucket = directoryBucket(folder)
  let head = NO_BLOCK
  for (let height = 0; height < BLOCKS; height++) {
    const { hash, bytes } = await blockAt(height, head)
    await bucket.write(blockPath(hash), bytes)
    head = hash
  }
  const marks: number[] = []
  let bytesRead = 0
  const source: Source = {
    name: key.hotkey,
    read: async (path) => {
      marks.push(held())
      const bytes = await bucket.read(path, 2 ** 24)
      bytesRead += bytes?.length ?? 0
      return bytes
    },
  }
  const lane = await checkLane({
    chain,
    state,
    validator: key.hotkey,
    head,
    read: new BucketReader({ openBucket: () => null }).blocks({ sources: [source] }),
  })
  expect(lane).toMatchObject({
    ok: true,
    value: { tallies: { [duel.contender.hotkey]: { [ENV]: [0, 0, 0, 0] } } },
  })
  expect(marks.length).toBe(BLOCKS)

  const [early, late] = [marks[4] ?? 0, marks.at(-1) ?? 0]
  expect(bytesRead).toBeGreaterThan(8_000_000)
  expect(late - early).toBeLessThan(bytesRead / 3)
})
