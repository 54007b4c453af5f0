import { blockPath, NO_BLOCK, type Sample, writeBlock } from '@affine/blocks'
import { account } from '@affine/chain'
import { encodeId } from '@affine/envs'
import { expect, it } from 'vitest'
import { createAnswers } from '../src/worker/answers.ts'
import type { SubnetReader } from '../src/worker/reader.ts'

const [validator, champion, ...contenders] = [1, 2, 3, 4].map((seed) =>
  account(new Uint8Array(32).fill(seed)),
)
if (validator === undefined || champion === undefined) throw new Error('four accounts are made')

/** Returns a sample of a miner that never replied. */
const sampleOf = (index: number, miner = ''): Sample => ({
  ...{ env: 'mult8@0.1.0', index, challengeId: encodeId(`${index}`.repeat(64)), miner },
  ...{ messages: [], reward: 0, fault: 'no-reply', ms: 0 },
})
const [first, second] = contenders.map(({ hotkey }) => hotkey)
/** The second challenge continues in the second block. */
const shares = [
  [sampleOf(1, champion.hotkey), sampleOf(1, first), sampleOf(2, champion.hotkey)],
  [sampleOf(2, first), sampleOf(2, second), sampleOf(3, champion.hotkey), sampleOf(3, first)],
]

it('returns all samples of a challenge that spans two blocks', async () => {
  const files = new Map<string, Uint8Array>()
  const hashes: string[] = []
  for (const [height, samples] of shares.entries()) {
    const place = { genesis: '0'.repeat(64), netuid: 1, validator: validator.hotkey, epoch: 3 }
    const draft = { ...place, height, prev: hashes.at(-1) ?? NO_BLOCK, time: 0, samples }
    const { hash, bytes } = await writeBlock({ ...draft, sign: validator.sign })
    files.set(blockPath(hash), bytes)
    hashes.push(hash)
  }
  const lane = {
    ...{ state: { epoch: 3 }, validator: validator.hotkey },
    blocks: [...hashes].reverse(),
    sources: [{ name: 'a', read: async (path: string) => files.get(path) ?? null }],
  }
  const urlOf = () => undefined
  const reader = { findLane: async () => lane, urlOf } as unknown as SubnetReader
  const { sample } = createAnswers(async () => reader)
  const minersOf = async (block: number, line: number) => {
    const { pairs } = await sample({ block: hashes[block] ?? '', line })
    return pairs.map(({ index, champion, contender }) => [index, champion.miner, contender.miner])
  }
  expect(await minersOf(0, 0)).toEqual([[1, champion.hotkey, first]])
  const both = [
    [2, champion.hotkey, first],
    [2, champion.hotkey, second],
  ]
  expect(await minersOf(0, 2)).toEqual(both)
  expect(await minersOf(1, 1)).toEqual(both.slice(1))
  expect(await minersOf(1, 3)).toEqual([[3, champion.hotkey, first]])
  await expect(sample({ block: hashes[1] ?? '', line: 4 })).rejects.toThrow('has no line 4')
})
