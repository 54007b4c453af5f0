import { digest } from '@affine/prng'
import { blake3 } from '@noble/hashes/blake3.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { beforeAll, expect, it } from 'vitest'
import {
  type Block,
  checkBlock,
  judgeSampleProof,
  type LaneRequest,
  NO_BLOCK,
  proveSample,
  readBlock,
  type Sample,
  verifyLane,
  writeBlock,
} from '../src/index.ts'
import { honestSamples, SECRET, scopeOf, toy } from './lane.ts'

const scope = scopeOf(toy.hotkey, { 'tictactoe@0.1.0': 800, 'mult8@0.1.0': 300 })
const { genesis, netuid, validator, epoch } = scope
const trust = { verify: toy.verify }
let samples: Sample[]

beforeAll(async () => {
  samples = await honestSamples(scope)
})

it('writes, reads, verifies and proves the same bytes on every engine', async () => {
  const blocks: Block[] = []
  const files = new Map<string, Uint8Array>()
  const all = blake3.create()
  for (const part of [samples.slice(0, 2048), samples.slice(2048)]) {
    const place = {
      genesis,
      netuid,
      validator,
      epoch,
      height: blocks.length,
      prev: blocks.at(-1)?.hash ?? NO_BLOCK,
    }
    const reveal = blocks.length === 1 ? { secret: SECRET } : {}
    const written = await writeBlock({
      ...place,
      ...reveal,
      time: 0,
      samples: part,
      sign: toy.sign,
    })
    const read = readBlock(written.bytes, { ...trust, hash: written.hash })
    if (!read.ok) throw new Error(read.detail)
    expect(read.value.samples).toEqual(part)
    blocks.push(read.value)
    files.set(written.hash, written.bytes)
    all.update(written.bytes)
  }

  const head = blocks.at(-1)!.hash
  const read: LaneRequest['read'] = async (wanted) =>
    checkBlock(files.get(wanted.hash)!, { ...wanted, ...trust })
  const lane = await verifyLane({ head, previous: NO_BLOCK, scope, read })
  expect(lane).toMatchObject({
    ok: true,
    value: { blocks: blocks.map(({ hash }) => hash).reverse() },
  })

  const proof = proveSample(blocks[0]!, 100, [blocks[1]!.header])
  expect(judgeSampleProof(proof, { ...trust, head, scope }).result).toEqual({
    ok: true,
    value: samples[100],
  })

  expect({
    bytes: bytesToHex(all.digest()),
    lane: digest('lane', JSON.stringify(lane)),
    proof: digest('proof', JSON.stringify(proof)),
  }).toEqual({
    bytes: 'e96d1d9630cd5aef103eb7b6b2c0b062a256ea68e1fe4609501f173824bd733a',
    lane: '06b74b5f4fa8bdff7063d4b225523d17930b167d11adba0c0847b407b9ae666c',
    proof: '1699b5e948e8c75f6864c9f02ab3943633d0c3396dc53315185789d858f5917c',
  })
})
