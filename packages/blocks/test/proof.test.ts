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

const headersAfter = (place: number) => blocks.slice(place + 1).map(({ header }) => header)
const check = (value: unknown) =>
  judgeSampleProof(value, { head, scope, verify: toy.verify }).result

it.each(vectors.proofs)(
  'judges every published proof: $what',
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

it('proves a sample without links if its block is the head', () => {
  const block = blocks[1]!
  const made = proveSample(block, 0)
  expect(judgeSampleProof(made, { head: block.hash, scope, verify: toy.verify }).result.ok).toBe(
    true,
  )
  expect(check(made)).toMatchObject({ code: 'BAD_PROOF' })
})

describe('each step', () => {
  const failedSteps = (changed: object, target: object = {}): readonly string[] => {
    const { steps } = judgeSampleProof(
      { ...proof, ...changed },
      { head, scope, verify: toy.verify, ...target },
    )
    return steps.flatMap(({ code, fault }) => (fault === null ? [] : code))
  }
  const flip = (hex: string): string => `${hex[0] === '0' ? '1' : '0'}${hex.slice(1)}`
  it.each<[readonly string[], () => readonly string[]]>([
    [[], () => failedSteps({})],
    [['form'], () => failedSteps({ more: 1 })],
    [['form'], () => failedSteps({ header: '{}' })],
    [['scope'], () => failedSteps({}, { scope: { ...scope, epoch: 8 } })],
    [['headers', 'head'], () => failedSteps({ links: [...proof.links, proof.header] })],
    [['headers'], () => failedSteps({}, { scope: { ...scope, quotas: {} } })],
    [['head'], () => failedSteps({}, { head: flip(head) })],
    [['signature'], () => failedSteps({ signature: flip(proof.signature) })],
    [['inclusion'], () => failedSteps({ index: 2 })],
    [['inclusion', 'sample'], () => failedSteps({ sample: '{}' })],
  ])('fails only for its own fault: %j', (codes, judged) => expect(judged()).toEqual(codes))
})

describe('a proof over a limit', () => {
  it('is rejected because of its path', () => {
    const path = Array.from({ length: 12 }, () => '00'.repeat(32))
    expect(check({ ...proof, path })).toMatchObject({
      detail: expect.stringMatching(/^\/path: .* 11$/),
    })
  })

  it.each([
    ['sample', 131_072, (long: string) => ({ ...proof, sample: long })],
    ['header', 1024, (long: string) => ({ ...proof, header: long })],
    ['links/0', 1024, (long: string) => ({ ...proof, links: [long] })],
  ])('is rejected because of its %s', (place, most, withLong) => {
    const detail = expect.stringMatching(`^/${place}: .* ${most} characters$`)
    expect(check(withLong('x'.repeat(most + 1)))).toMatchObject({ detail })
  })
})
