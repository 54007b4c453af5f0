import { digest } from '@affine/prng'
import { blake3 } from '@noble/hashes/blake3.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { expect, it } from 'vitest'
import {
  type Block,
  checkBlock,
  judgeSampleProof,
  type LaneRequest,
  NO_BLOCK,
  proveSample,
  readBlock,
  verifyLane,
  writeBlock,
} from '../src/index.ts'
import { honestSamples, SECRET, scopeOf, toy } from './lane.ts'

const scope = scopeOf(toy.hotkey, { 'tictactoe@0.1.0': 800, 'mult8@0.1.0': 300 })
const { genesis, netuid, validator, epoch } = scope
const lane = { genesis, netuid, validator, epoch }
const trust = { verify: toy.verify }

it('writes, reads, verifies and proves the same bytes on every engine', async () => {
  const samples = await honestSamples(scope)
  const blocks: Block[] = []
  const files = new Map<string, Uint8Array>()
  const all = blake3.create()
  for (const part of [samples.slice(0, 2048), samples.slice(2048)]) {
    const last = blocks.at(-1)?.hash
    const place = { ...lane, height: blocks.length, prev: last ?? NO_BLOCK, time: 0 }
    const draft = { ...place, ...(last && { secret: SECRET }), samples: part }
    const written = await writeBlock({ ...draft, sign: toy.sign })
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
  const verified = await verifyLane({ head, previous: NO_BLOCK, scope, read })
  const hashes = blocks.map(({ hash }) => hash).reverse()
  expect(verified).toMatchObject({ ok: true, value: { blocks: hashes } })

  const proof = proveSample(blocks[0]!, 100, [blocks[1]!.header])
  const { result } = judgeSampleProof(proof, { ...trust, head, scope })
  expect(result).toEqual({ ok: true, value: samples[100] })

  expect({
    bytes: bytesToHex(all.digest()),
    lane: digest('lane', JSON.stringify(verified)),
    proof: digest('proof', JSON.stringify(proof)),
  }).toEqual({
    bytes: 'e96d1d9630cd5aef103eb7b6b2c0b062a256ea68e1fe4609501f173824bd733a',
    lane: '528cf4c66667291ed4ecc6244da2e2ee975b38f067d3ae8b234b5de93925787a',
    proof: '1699b5e948e8c75f6864c9f02ab3943633d0c3396dc53315185789d858f5917c',
  })
})
