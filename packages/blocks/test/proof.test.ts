import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Block, type SampleProof, sampleProof, verifySampleProof } from '../src/index.ts'
import { honestSamples, laneOf, plansOf, scopeOf, toy } from './lane.ts'

const scope = scopeOf(toy.hotkey, { 'tictactoe@0.1.0': 9, 'mult8@0.1.0': 9 })
let blocks: Block[]
let head: string
let proof: SampleProof

beforeAll(async () => {
  const lane = laneOf(toy, scope, plansOf(await honestSamples(scope), 7))
  head = lane.head
  blocks = []
  for (const hash of lane.bytes.keys()) {
    const read = await lane.read(hash)
    if (read.ok) blocks.push(read.value)
  }
  proof = sampleProof(blocks[1]!, 3, headersAfter(1))
})

const headersAfter = (place: number) => blocks.slice(place + 1).map(({ header }) => header)
const check = (value: unknown) => verifySampleProof(value, { head, verify: toy.verify })

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
  expect(verifySampleProof(made, { head: block.hash, verify: toy.verify }).ok).toBe(true)
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

  it('never throw, whatever they are parsed from', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => check(value).ok === false))
    const part = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom('\ud800', '{}', '[]', '\n', '['.repeat(50_000), -0, 1e300),
    )
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(proof)), part, (key, value) => {
        const changed = { ...proof, [key]: value }
        if (JSON.stringify(changed) !== JSON.stringify(proof)) expect(check(changed).ok).toBe(false)
      }),
    )
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
