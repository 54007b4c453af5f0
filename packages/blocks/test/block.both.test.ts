import { digest } from '@affine/prng'
import { blake3 } from '@noble/hashes/blake3.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { beforeAll, expect, it } from 'vitest'
import {
  type Block,
  checkBlock,
  type LaneRequest,
  NO_BLOCK,
  readBlock,
  type Sample,
  sampleProof,
  verifyLane,
  verifySampleProof,
  writeBlock,
} from '../src/index.ts'
import { honestSamples, SECRET, scopeOf, toy } from './lane.ts'

const scope = scopeOf(toy.hotkey, { 'tictactoe@0.1.0': 300, 'mult8@0.1.0': 100 })
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
  for (const part of [samples.slice(0, 256), samples.slice(256), []]) {
    const place = {
      genesis,
      netuid,
      validator,
      epoch,
      height: blocks.length,
      prev: blocks.at(-1)?.hash ?? NO_BLOCK,
    }
    const reveal = part.length === 0 ? { secret: SECRET } : {}
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

  const proof = sampleProof(blocks[1]!, 100, [blocks[2]!.header])
  expect(verifySampleProof(proof, { ...trust, head, scope })).toEqual({
    ok: true,
    value: samples[356],
  })

  expect({
    bytes: bytesToHex(all.digest()),
    lane: digest('lane', JSON.stringify(lane)),
    proof: digest('proof', JSON.stringify(proof)),
  }).toEqual({
    bytes: '4dbc1172d14957276e6f3b054dd91f864a385b6134149a1865a0f730b3d2d4b1',
    lane: '6b9b3d005c0c1bc5e15b91d2bc13a61a697673b4ab73245f5958b4e8512be53d',
    proof: '6e1f06d056e548f5f880bee6647ba58525011e65ab28844a43e3c1180c178715',
  })
})
