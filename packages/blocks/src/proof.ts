import type { Hash } from '@affine/prng'
import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import * as z from 'zod'
import { type Block, blockHash, toLine, type Verify } from './block.ts'
import { fault, type Read } from './fault.ts'
import { type Header, LIMITS, readHeader, readSample, type Sample } from './line.ts'
import { inclusionProof, verifyInclusion } from './merkle.ts'
import { conform, hex, uint } from './shape.ts'

/**
 * One sample and all that links it to an anchored head, as JSON. Lines are kept as text: hashes are
 * over their bytes. Protocol §6.6.
 */
export interface SampleProof {
  readonly sample: string
  readonly index: number
  /** Siblings up to the block's root, lowest first. */
  readonly path: readonly Hash[]
  /** The header of the sample's block. */
  readonly header: string
  readonly signature: string
  /** The headers after it, up to the head's; none if the sample's block is the head. */
  readonly links: readonly string[]
}

const proofShape = z.strictObject({
  sample: z.string(),
  index: uint(LIMITS.blockSamples - 1),
  path: z.array(hex(32)),
  header: z.string(),
  signature: hex(64),
  links: z.array(z.string()),
})

/**
 * Proves sample `index` of `block` under a lane's head. `after` are the headers of the lane's
 * blocks after this one, in order, the head's last: none if `block` is the head. Protocol §6.6.
 * @throws RangeError unless `index` is the index of a sample, and `after` links this block to its
 *   last header.
 */
export function sampleProof(
  block: Block,
  index: number,
  after: readonly Header[] = [],
): SampleProof {
  const { hash, header, signature, samples } = block
  const lines = samples.map(toLine)
  const path = inclusionProof(lines.map(utf8ToBytes), index).map(bytesToHex)
  // There is one: the proof would have thrown.
  const sample = lines[index] as string
  const links = after.map(toLine)
  if (headOf(hash, links) === null)
    throw new RangeError('"after" expected the headers after the block')
  return { sample, index, path, header: toLine(header), signature, links }
}

/**
 * The sample, if it was signed and lies under the chain of blocks that ends at `head`, the hash on
 * chain. Needs no other data, and never throws, whatever `proof` is parsed from. Says nothing of
 * the rest of the lane, nor that the transcript replays. Protocol §6.6.
 */
export function verifySampleProof(
  proof: unknown,
  { head, verify }: { head: Hash; verify: Verify },
): Read<Sample> {
  const read = conform(proof, proofShape, 'BAD_PROOF')
  if (!read.ok) return read
  const { sample, index, path, header, signature, links } = read.value

  const headerLine = utf8ToBytes(header)
  const hash = blockHash(headerLine)
  const block = readHeader(headerLine)
  if (!block.ok || headOf(hash, links) !== head)
    return fault('BAD_PROOF', `expected headers up to ${head}`)
  const { validator, count, root } = block.value
  if (!verify(hexToBytes(hash), hexToBytes(signature), validator))
    return fault('WRONG_SIGNATURE', `not ${validator}'s`)
  const proved = {
    leaf: utf8ToBytes(sample),
    index,
    size: count,
    proof: path.map(hexToBytes),
    root: hexToBytes(root),
  }
  if (!verifyInclusion(proved))
    return fault('BAD_PROOF', `expected sample ${index} of ${count} under ${root}`)
  return readSample(proved.leaf)
}

/**
 * Where header lines lead that follow block `hash`, each with the hash before it as `prev`; null if
 * one does not. Protocol §6.6.
 */
function headOf(hash: Hash, links: readonly string[]): Hash | null {
  let last = hash
  for (const link of links) {
    const line = utf8ToBytes(link)
    const header = readHeader(line)
    if (!header.ok || header.value.prev !== last) return null
    last = blockHash(line)
  }
  return last
}
