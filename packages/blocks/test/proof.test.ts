import { expect, it } from 'vitest'
import vectors from '../../../vectors/blocks/copies.json' with { type: 'json' }
import { judgeSampleProof, proveSample, readBlock } from '../src/index.ts'
import { keyOf } from './keys.ts'
import { honestSamples, laneOf, plansOf, scopeOf, toy } from './lane.ts'

const scope = scopeOf(toy.hotkey, { 'tictactoe@0.1.0': 9, 'mult8@0.1.0': 9 })
const lane = laneOf(toy, scope, plansOf(await honestSamples(scope), 7))
const target = { head: lane.head, scope, verify: toy.verify }
const read = [...lane.bytes].map(([hash, bytes]) => readBlock(bytes, { ...toy, hash }))
const blocks = read.flatMap((block) => (block.ok ? block.value : []))
const headersAfter = (place: number) => blocks.slice(place + 1).map(({ header }) => header)
const proof = proveSample(blocks[1]!, 3, headersAfter(1))
const check = (value: unknown) => judgeSampleProof(value, target).result

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

it('proves a sample without links if its block is the head, and rejects too many links', () => {
  const block = blocks[1]!
  const made = proveSample(block, 0)
  expect(judgeSampleProof(made, { ...target, head: block.hash }).result.ok).toBe(true)
  expect(check(made)).toMatchObject({ code: 'BAD_PROOF' })
  expect(() => proveSample(block, 0, [block.header])).toThrow(/^"after" expected the headers/)
  const { result } = judgeSampleProof(proof, { ...target, scope: { ...scope, quotas: {} } })
  const detail = expect.stringMatching(/^expected at most 0 links, got \d$/)
  expect(result).toMatchObject({ code: 'BAD_PROOF', detail })
})

const failedSteps = (changed: object, other: object = {}): readonly string[] => {
  const { steps } = judgeSampleProof({ ...proof, ...changed }, { ...target, ...other })
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
  [['head'], () => failedSteps({}, { head: flip(target.head) })],
  [['signature'], () => failedSteps({ signature: flip(proof.signature) })],
  [['inclusion'], () => failedSteps({ index: 2 })],
  [['inclusion', 'sample'], () => failedSteps({ sample: '{}' })],
])('fails each step of a proof only for its own fault: %j', (codes, judged) =>
  expect(judged()).toEqual(codes),
)

it.each([
  ['path', /^\/path: .* 11$/, { path: Array(12).fill('00'.repeat(32)) }],
  ['sample', /^\/sample: .* 131072 characters$/, { sample: 'x'.repeat(131_073) }],
  ['header', /^\/header: .* 1024 characters$/, { header: 'x'.repeat(1025) }],
  ['links', /^\/links\/0: .* 1024 characters$/, { links: ['x'.repeat(1025)] }],
])('rejects a proof that is over a limit in its %s', (_, detail, long) => {
  expect(check({ ...proof, ...long })).toMatchObject({ detail: expect.stringMatching(detail) })
})
