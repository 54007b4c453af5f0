import type { Sample } from '@affine/blocks'
import { expect, it } from 'vitest'
import { SampleIndex } from '../src/worker/sample-index.ts'

const sampleOf = (challengeId: string) =>
  ({ env: 'e', challengeId, miner: '5M' }) as unknown as Sample
const A = { validator: '5A', block: 'a' }
const B = { validator: '5B', block: 'b' }

it('a sample has the line of its block in which it stands', () => {
  const index = new SampleIndex()
  const lines = [A, A, B, B, B].map((place, i) => index.add(sampleOf(String(i)), place, 3))
  expect(lines).toEqual([0, 1, 0, 1, 2])
  expect(['a', 'c'].map((block) => index.placeOf(block))).toEqual([
    { validator: '5A', epoch: 3 },
    undefined,
  ])
})

it('samples of one challenge, which follow each other, are counted once', () => {
  const index = new SampleIndex()
  for (const id of ['1', '1', '1', '2', '3', '3']) index.add(sampleOf(id), A, 3)
  expect(index.challenges).toBe(3)
})
