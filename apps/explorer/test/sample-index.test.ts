import type { Sample } from '@affine/blocks'
import { describe, expect, it } from 'vitest'
import { SampleIndex } from '../src/worker/sample-index.ts'

const sampleOf = (challengeId: string) =>
  ({ env: 'e', challengeId, miner: '5M' }) as unknown as Sample
const A = { validator: '5A', block: 'a' }
const B = { validator: '5B', block: 'b' }

describe('samples', () => {
  it('are found by their challenge, and their block by its hash', () => {
    const index = new SampleIndex()
    index.add(sampleOf('1'), A, 3)
    expect(index.linesOf('1')).toEqual([{ block: 'a', line: 0 }])
    expect(index.linesOf('2')).toEqual([])
    expect([index.placeOf('a'), index.placeOf('b')]).toEqual([
      { validator: '5A', epoch: 3 },
      undefined,
    ])
  })

  it('of one challenge are found in the order of their lane', () => {
    const index = new SampleIndex()
    for (const place of [A, B]) index.add(sampleOf('1'), place, 3)
    expect(index.linesOf('1').map(({ block }) => block)).toEqual(['a', 'b'])
  })

  it('have the line of their block in which they stand', () => {
    const index = new SampleIndex()
    const lines = [A, A, B, B, B].map((place, i) => index.add(sampleOf(String(i)), place, 3))
    expect(lines).toEqual([0, 1, 0, 1, 2])
  })

  it('are forgotten, the oldest first, where there are too many', () => {
    const index = new SampleIndex()
    for (let i = 0; i < 200_001; i++) index.add(sampleOf(String(i)), A, 3)
    expect(index.linesOf('0')).toEqual([])
    expect(index.linesOf('200000').length).toBe(1)
  })
})
