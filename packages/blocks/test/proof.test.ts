import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import vectors from '../../../vectors/blocks/copies.json' with { type: 'json' }
import {
  type Block,
  judgeSampleProof,
  proveSample,
  readBlock,
  type SampleProof,
} from '../src/index.ts'
import { keyOf } from './keys.ts'
import { type Files, honestSamples, laneOf, plansOf, scopeOf, toy } from './lane.ts'

const scope = scopeOf(toy.hotkey, { 'tictactoe@0.1.0': 9, 'mult8@0.1.0': 9 })
let blocks: Block[]
let head: string
let proof: SampleProof

beforeAll(async () => {
  const lane = laneOf(toy, scope, plansOf(await honestSamples(scope), 7))
  head = lane.head
  blocks = blocksOf(lane)
  proof = proveSample(blocks[1]!, 3, headersAfter(1))
})

function blocksOf(lane: Files): Block[] {
  const read = [...lane.bytes].map(([hash, bytes]) => readBlock(bytes, { ...toy, hash }))
  return read.flatMap((block) => (block.ok ? block.value : []))
}

const headersIn = (some: readonly Block[]) => some.map(({ header }) => header)
const headersAfter = (place: number) => headersIn(blocks.slice(place + 1))
/** Returns a proof of the first sample of these blocks under the last block. */
const firstOf = ([block, ...after]: readonly Block[]) => proveSample(block!, 0, headersIn(after))
const check = (value: unknown) =>
  judgeSampleProof(value, { head, scope, verify: toy.verify }).result

it.each(vectors.proofs)(
  'verifies the published proof: $what',
  ({ input: { head, proof }, want }) => {
    const { hotkey, verify } = keyOf(1)
    const lane = { genesis: '11'.repeat(32), netuid: 120, validator: hotkey, epoch: 7 }
    const quotas = { [`5${'C'.repeat(47)}`]: { 'mult8@0.1.0': 1 } }
    const scope = { ...lane, champion: `5${'B'.repeat(47)}`, quotas }
    expect(judgeSampleProof(proof, { head, scope, verify }).result.ok).toBe(want)
  },
)

it('proves every sample of every block, through JSON', () => {
  for (const [place, block] of blocks.entries()) {
    for (const [index, sample] of block.samples.entries()) {
      const made = proveSample(block, index, headersAfter(place))
      expect(check(JSON.parse(JSON.stringify(made)))).toEqual({ ok: true, value: sample })
    }
  }
})

it('proves a sample under its own block if that is the head', () => {
  const block = blocks[1]!
  const made = proveSample(block, 0)
  expect(judgeSampleProof(made, { head: block.hash, scope, verify: toy.verify }).result.ok).toBe(
    true,
  )
  expect(check(made)).toMatchObject({ code: 'BAD_PROOF' })
})

it('is rejected if any character differs', () => {
  const text = JSON.stringify(proof)
  const char = fc.string({ minLength: 1, maxLength: 1 })
  fc.assert(
    fc.property(fc.nat({ max: text.length - 1 }), char, (at, other) => {
      const altered = text.slice(0, at) + other + text.slice(at + 1)
      if (altered === text) return
      try {
        JSON.parse(altered)
      } catch {
        return
      }
      expect(check(JSON.parse(altered)).ok).toBe(false)
    }),
    { numRuns: 2000 },
  )
})

describe('each step', () => {
  const failing = (changed: object, target: object = {}): readonly string[] => {
    const { steps } = judgeSampleProof(
      { ...proof, ...changed },
      { head, scope, verify: toy.verify, ...target },
    )
    return steps.flatMap(({ code, fault }) => (fault === null ? [] : code))
  }
  const flip = (hex: string): string => `${hex[0] === '0' ? '1' : '0'}${hex.slice(1)}`
  it.each<[readonly string[], () => readonly string[]]>([
    [[], () => failing({})],
    [['form'], () => failing({ more: 1 })],
    [['form'], () => failing({ header: '{}' })],
    [['scope'], () => failing({}, { scope: { ...scope, epoch: 8 } })],
    [['headers', 'head'], () => failing({ links: [...proof.links, proof.header] })],
    [['headers'], () => failing({}, { scope: { ...scope, quotas: {} } })],
    [['head'], () => failing({}, { head: flip(head) })],
    [['signature'], () => failing({ signature: flip(proof.signature) })],
    [['inclusion'], () => failing({ index: 2 })],
    [['inclusion', 'sample'], () => failing({ sample: '{}' })],
  ])('fails on its own: %j', (codes, judged) => expect(judged()).toEqual(codes))
})

it('does not prove a sample of an earlier epoch, although the head leads to its blocks', async () => {
  const before = laneOf(toy, { ...scope, epoch: 6 }, plansOf(await honestSamples(scope), 7))
  const lane = laneOf(toy, scope, plansOf(await honestSamples(scope), 7), before.head)
  const made = firstOf([...blocksOf(before), ...blocksOf(lane)])
  expect(judgeSampleProof(made, { head: lane.head, scope, verify: toy.verify }).result).toEqual({
    ok: false,
    code: 'BAD_PROOF',
    detail: 'epoch: expected 7, got 6',
  })
})

describe('a proof over the limits is rejected', () => {
  it('by its path', () => {
    const path = Array.from({ length: 12 }, () => '00'.repeat(32))
    expect(check({ ...proof, path })).toMatchObject({
      detail: expect.stringMatching(/^\/path: .* 11$/),
    })
  })

  it('by its links: more blocks after the sample’s than the lane has samples', async () => {
    const few = scopeOf(toy.hotkey, { 'mult8@0.1.0': 2 })
    const samples = await honestSamples(few)
    const provenIn = async (empty: number) => {
      const plans = [{ lines: samples }, ...Array.from({ length: empty }, () => ({ lines: [] }))]
      const lane = laneOf(toy, few, plans)
      const made = firstOf(blocksOf(lane))
      return judgeSampleProof(made, { head: lane.head, scope: few, verify: toy.verify }).result
    }
    expect(await provenIn(4)).toEqual({ ok: true, value: samples[0] })
    expect(await provenIn(5)).toEqual({
      ok: false,
      code: 'BAD_PROOF',
      detail: expect.stringMatching(/ 4 links, got 5$/),
    })
  })

  it.each([
    ['sample', 131_072, (long: string) => ({ ...proof, sample: long })],
    ['header', 1024, (long: string) => ({ ...proof, header: long })],
    ['links/0', 1024, (long: string) => ({ ...proof, links: [long] })],
  ])('by its %s', (place, most, withLong) => {
    const detail = expect.stringMatching(`^/${place}: .* ${most} characters$`)
    expect(check(withLong('x'.repeat(most + 1)))).toMatchObject({ detail })
  })
})

describe('an impossible proof throws', () => {
  it.each([-1, 7, 0.5])('index %d of 7', (index) => {
    expect(() => proveSample(blocks[1]!, index)).toThrow(/^"index" expected 0..6, got/)
  })

  it('headers that do not follow the block', () => {
    expect(() => proveSample(blocks[0]!, 0, headersAfter(1))).toThrow('"after" expected')
  })
})
