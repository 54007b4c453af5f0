import { describe, expect, it } from 'vitest'
import { type AuditedBlock, checkBlock, isWithinBlock, LIMITS, verifyLane } from '../src/index.ts'
import { type Files, honestSamples, laneOf, plansOf, SECRET, scopeOf, toy } from './lane.ts'

// Protocol §6.2: every block except the last has 2048 samples, or cannot hold the next sample.
const scope = scopeOf(toy.hotkey, { 'mult8@0.1.0': 1025 })
const lane = laneOf(toy, scope, plansOf(await honestSamples(scope)))
const [first, last] = [...lane.bytes].map(([hash, bytes], i) => {
  const due = i === 0 ? 2048 : 2050
  const block = checkBlock(bytes, { hash, scope, secret: SECRET, due, verify: toy.verify })
  if (!block.ok) throw new Error(block.detail)
  return block.value
}) as [AuditedBlock, AuditedBlock]

/**
 * Resolves with the fault of a lane whose first block has `samples` samples in `bytes` bytes, or
 * with `whole`. `next` is the size of the last block's first sample.
 */
async function codeOf(samples: number, bytes: number, next: number) {
  const header = { ...first.header, count: samples }
  const read: Files['read'] = async ({ hash }) => {
    const isLast = hash === last.hash
    const block = isLast
      ? { ...last, firstLineBytes: next }
      : { ...first, header, lineBytes: bytes }
    return { ok: true, value: block }
  }
  const found = await verifyLane({ ...lane, read })
  return found.ok ? 'whole' : found.code
}

describe('a block before the last', () => {
  const { blockSamples, roomBytes } = LIMITS

  it.each([
    [blockSamples, 0, 1000, 'whole'],
    [blockSamples - 1, 0, 1000, 'SHORT_BLOCK'],
    [blockSamples - 1, roomBytes - 1000, 1000, 'SHORT_BLOCK'],
    [blockSamples - 1, roomBytes - 999, 1000, 'whole'],
    [blockSamples - 1, roomBytes - 1001, 1000, 'SHORT_BLOCK'],
    [63, roomBytes - 999, 1000, 'whole'],
    [0, 0, 1000, 'SHORT_BLOCK'],
    // Before an empty last block.
    [blockSamples - 1, roomBytes, 0, 'SHORT_BLOCK'],
    [blockSamples, roomBytes, 0, 'whole'],
  ])('of %i samples and %i bytes is judged before a line of %i bytes: %s', async (...args) => {
    const [samples, bytes, next, code] = args
    expect(await codeOf(samples, bytes, next)).toBe(code)
  })

  it('has an audit with the bytes of all its sample lines and of the first, line feeds included', () => {
    for (const block of [last, first]) {
      const bytes = lane.bytes.get(block.hash) ?? new Uint8Array()
      const [header = '', signature = '', line = ''] = new TextDecoder().decode(bytes).split('\n')
      expect(block.lineBytes).toBe(bytes.length - header.length - signature.length - 2)
      expect(block.firstLineBytes).toBe(new TextEncoder().encode(line).length + 1)
    }
  })
})

it('a block can hold the maximum of sample bytes next to the largest header', () => {
  const signatureBytes = JSON.stringify({ signature: 'ab'.repeat(64) }).length
  const overhead = LIMITS.headerBytes + 1 + signatureBytes + 1
  expect(LIMITS.roomBytes + overhead).toBeLessThanOrEqual(LIMITS.blockBytes)
  // 63 samples of the largest size fill a block, so a lane has few blocks.
  expect(isWithinBlock(63, 63 * (LIMITS.sampleBytes + 1))).toBe(true)
  expect(isWithinBlock(64, 64 * (LIMITS.sampleBytes + 1))).toBe(false)
})
