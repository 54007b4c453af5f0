import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  type Block,
  readBlock,
  type SampleProof,
  sampleProof,
  verifySampleProof,
} from '../src/index.ts'
import { type Files, honestSamples, laneOf, plansOf, scopeOf, toy } from './lane.ts'

const scope = scopeOf(toy.hotkey, { 'tictactoe@0.1.0': 9, 'mult8@0.1.0': 9 })
let blocks: Block[]
let head: string
let proof: SampleProof

beforeAll(async () => {
  const lane = laneOf(toy, scope, plansOf(await honestSamples(scope), 7))
  head = lane.head
  blocks = blocksOf(lane)
  proof = sampleProof(blocks[1]!, 3, headersAfter(1))
})

function blocksOf(lane: Files): Block[] {
  const read = [...lane.bytes].map(([hash, bytes]) => readBlock(bytes, { ...toy, hash }))
  return read.flatMap((block) => (block.ok ? block.value : []))
}

const headersAfter = (place: number) => blocks.slice(place + 1).map(({ header }) => header)
const check = (value: unknown) => verifySampleProof(value, { head, scope, verify: toy.verify })

it('proves every sample of every block, through JSON', () => {
  for (const [place, block] of blocks.entries()) {
    for (const [index, sample] of block.samples.entries()) {
      const made = sampleProof(block, index, headersAfter(place))
      expect(check(JSON.parse(JSON.stringify(made)))).toEqual({ ok: true, value: sample })
    }
  }
})

it('proves under the block itself when that is the head', () => {
  const block = blocks[1]!
  const made = sampleProof(block, 0)
  expect(verifySampleProof(made, { head: block.hash, scope, verify: toy.verify }).ok).toBe(true)
  expect(check(made)).toMatchObject({ code: 'BAD_PROOF' })
})

describe('hostile proofs', () => {
  it('are refused when any character is another', () => {
    const text = JSON.stringify(proof)
    fc.assert(
      fc.property(
        fc.nat({ max: text.length - 1 }),
        fc.string({ minLength: 1, maxLength: 1 }),
        (at, other) => {
          const altered = text.slice(0, at) + other + text.slice(at + 1)
          if (altered === text) return
          try {
            JSON.parse(altered)
          } catch {
            return
          }
          expect(check(JSON.parse(altered)).ok).toBe(false)
        },
      ),
      { numRuns: 2000 },
    )
  })
})

describe('a proof from elsewhere, signed and under the head that it is checked with', () => {
  const elsewhere = [
    ['another chain', { genesis: '9f'.repeat(32) }, 'genesis: expected 9e'],
    ['another subnet', { netuid: 121 }, 'netuid: expected 120, got 121'],
    ['another validator', { validator: `5${'D'.repeat(47)}` }, 'validator: expected 5AAAA'],
    ['another epoch', { epoch: 6 }, 'epoch: expected 7, got 6'],
  ] as const
  it.each(elsewhere)('is refused, and says so: %s', async (_, other, detail) => {
    const there = { ...scope, ...other }
    const lane = laneOf(toy, there, plansOf(await honestSamples(there), 7))
    const [block, ...after] = await blocksOf(lane)
    const made = sampleProof(
      block!,
      0,
      after.map(({ header }) => header),
    )
    const trust = { head: lane.head, verify: toy.verify }
    expect(verifySampleProof(made, { ...trust, scope: there }).ok).toBe(true)
    expect(verifySampleProof(made, { ...trust, scope })).toMatchObject({
      code: 'BAD_PROOF',
      detail: expect.stringContaining(detail),
    })
  })

  it('is refused when it is of the epoch before, whose blocks the head leads to as well', async () => {
    const before = laneOf(toy, { ...scope, epoch: 6 }, plansOf(await honestSamples(scope), 7))
    const lane = laneOf(toy, scope, plansOf(await honestSamples(scope), 7), before.head)
    const [block, ...after] = [...(await blocksOf(before)), ...(await blocksOf(lane))]
    const made = sampleProof(
      block!,
      0,
      after.map(({ header }) => header),
    )
    expect(verifySampleProof(made, { head: lane.head, scope, verify: toy.verify })).toEqual({
      ok: false,
      code: 'BAD_PROOF',
      detail: 'epoch: expected 7, got 6',
    })
  })
})

describe('a proof longer than it can be is refused', () => {
  it('by its path', () => {
    const path = Array.from({ length: 12 }, () => '00'.repeat(32))
    expect(check({ ...proof, path })).toMatchObject({
      detail: '/path: expected a list of at most 11',
    })
  })

  it('by its links: more blocks after the sample’s than the lane has samples', async () => {
    const few = scopeOf(toy.hotkey, { 'mult8@0.1.0': 2 })
    const samples = await honestSamples(few)
    const provenIn = async (empty: number) => {
      const plans = [{ lines: samples }, ...Array.from({ length: empty }, () => ({ lines: [] }))]
      const lane = laneOf(toy, few, plans)
      const [block, ...after] = await blocksOf(lane)
      const made = sampleProof(
        block!,
        0,
        after.map(({ header }) => header),
      )
      return verifySampleProof(made, { head: lane.head, scope: few, verify: toy.verify })
    }
    expect(await provenIn(4)).toEqual({ ok: true, value: samples[0] })
    expect(await provenIn(5)).toEqual({
      ok: false,
      code: 'BAD_PROOF',
      detail: 'expected at most 4 links, got 5',
    })
  })

  it.each(['header', 'sample'] as const)('by its %s', (part) => {
    const long = { ...proof, [part]: 'x'.repeat(131_073) }
    expect(check(long)).toMatchObject({
      detail: expect.stringMatching(`^/${part}: expected a string of at most \\d+ characters$`),
    })
  })

  it('by a link', () => {
    const long = { ...proof, links: [...proof.links.slice(1), 'x'.repeat(1025)] }
    const detail = `/links/${proof.links.length - 1}: expected a string of at most 1024 characters`
    expect(check(long)).toMatchObject({ detail })
  })
})

describe('a proof that cannot be made throws', () => {
  it.each([-1, 7, 0.5])('index %d of 7', (index) => {
    expect(() => sampleProof(blocks[1]!, index)).toThrow(/^"index" expected 0..6, got/)
  })

  it('headers that do not follow the block', () => {
    expect(() => sampleProof(blocks[0]!, 0, headersAfter(1))).toThrow('"after" expected')
  })
})
